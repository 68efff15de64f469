/**
 * A question of a policy → the canonical request, and what an upstream gets of it. Neighbours: `call-model.ts` sends
 * it; each wire's writer knows the fields. Knows no client: nothing of one goes along.
 */
import type { WireName } from '../event/event.ts'
import type { ModelCall } from '../policy/policy.ts'
import type { ModelRequest } from '../request/request.ts'
import { CREDENTIAL_HEADERS } from '../upstream/credential.ts'
import { WIRES } from '../wire/wires.ts'
import type { Target } from './target.ts'
import { profileOf, type NoWay, type Way } from './way.ts'

/** How that upstream is asked, or why it cannot be. */
export function toWay(call: ModelCall, target: Target, model: string): Way | NoWay {
  if (!hasCredential(target)) return { problem: lacksKey(target) }
  const { settings, upstream } = target
  const [name] = upstream.wires
  const wire = name === undefined ? undefined : WIRES[name]
  if (wire === undefined) return { problem: { path: '', message: 'It speaks no wire' } }
  const written = wire.writeRequest(toModelRequest(call, wire.name), {
    model,
    isStream: settings.stream === 'always',
    profile: profileOf(target, wire.name, model),
    issuer: settings.name,
  })
  if (!written.ok) return written
  return {
    wire,
    isTranslated: true,
    body: Buffer.from(JSON.stringify(written.body)),
    encoding: undefined,
    headers: written.headers,
    losses: written.losses,
    encoder: {},
    createStages: () => [],
    count: undefined,
  }
}

/** A writer copies the body of its own wire, and there is none here: so it is said to come from another one. */
const ELSEWHERE: Readonly<Record<WireName, WireName>> = {
  'anthropic-messages': 'openai-chat',
  'openai-chat': 'openai-responses',
  'openai-responses': 'openai-chat',
}

function toModelRequest(call: ModelCall, target: WireName): ModelRequest {
  const { schema, system } = call
  return {
    source: { wire: ELSEWHERE[target], body: {} },
    model: call.model,
    isStream: false,
    system: system === undefined || system === '' ? [] : [{ type: 'text', text: system }],
    turns: call.messages.map(({ role, text }) => ({ role, parts: [{ type: 'text', text }] })),
    tools: [],
    toolChoice: undefined,
    isParallel: undefined,
    maxTokens: call.maxTokens,
    stop: [],
    sampling: call.temperature === undefined ? {} : { temperature: call.temperature },
    reasoning: {},
    format:
      schema === undefined
        ? undefined
        : {
            type: 'json-schema',
            name: schema.name,
            description: undefined,
            schema: schema.schema,
            isStrict: true,
          },
    verbosity: undefined,
    user: undefined,
    metadata: undefined,
    cache: { key: undefined, mark: undefined },
    serviceTier: undefined,
    // What a policy asks is nobody's conversation.
    isStored: false,
    logprobs: undefined,
    lost: [],
    needed: [],
  }
}

/** A key of the config, or none needed: a client's own is not ours to spend. */
function hasCredential({ settings }: Target): boolean {
  if (settings.kind !== 'http' || settings.apiKey !== undefined || settings.auth === 'none')
    return true
  const isNamed = Object.keys(settings.headers).some((name) =>
    CREDENTIAL_HEADERS.some((own) => own === name.toLowerCase()),
  )
  // A server on this machine, such as Ollama, asks for none.
  return isNamed || isLoopback(new URL(settings.baseUrl).hostname)
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host)

const lacksKey = ({ settings }: Target): NoWay['problem'] => ({
  path: '',
  message: `Upstream "${settings.name}" cannot be asked by a policy, because it has no apiKey and the client's own is not used: give it an apiKey, or "auth: none" if it needs none`,
  code: 'unsupported',
})
