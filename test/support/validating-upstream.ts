/**
 * A provider that takes nothing on trust: every request is held to the rules of its API, and what it said before
 * must come back as it was said, sealed thinking included; else it answers 400 in the words of its wire and
 * keeps the findings for the test. Otherwise it says what the test scripted. Neighbours: `upstream.ts` is the server,
 * `api-rules-*.ts` the rules, `scripted*.ts` the answers, `validating-history.ts` what must come back.
 */
import type { WireName } from '../../src/event/event.ts'
import { validateAnthropic } from './api-rules-anthropic.ts'
import { validateChat } from './api-rules-chat.ts'
import { validateResponses } from './api-rules-responses.ts'
import { toObjects, type Finding, type Json } from './api-rules.ts'
import { OPENAI_FAULTS, openAiError, writeChat } from './scripted-chat.ts'
import { MESSAGES_FAULTS, messagesError, writeMessages } from './scripted-messages.ts'
import { writeResponses } from './scripted-responses.ts'
import {
  isTurn,
  type Issued,
  type Scripted,
  type ScriptedCall,
  type ScriptedTurn,
  type WriteTurn,
} from './scripted.ts'
import { startUpstream, type TestUpstream } from './upstream.ts'
import type { Reply } from './upstream-reply.ts'
import { checkHistory } from './validating-history.ts'

export interface ValidatingUpstream {
  readonly url: string
  readonly wire: WireName
  readonly server: TestUpstream
  /** The bodies that came, in order. */
  readonly bodies: readonly Json[]
  /** What its API would have refused, of all requests. */
  readonly findings: readonly Finding[]
  /** What the next requests are answered with, in turn. */
  script(...turns: readonly Scripted[]): void
  /** Forgets scripts and findings that are left; bodies begin anew. */
  reset(): void
  close(): Promise<void>
}

export interface ValidatingOptions {
  readonly wire: WireName
  /** On Chat: whose rules. */
  readonly vendor?: string
  /** The ids of all calls that were made, here and at providers that share this. */
  readonly calls?: Set<string>
  /** Whether some of what was said may be missing when it comes back: a policy took it out. */
  readonly mayLack?: boolean
}

const WRITE: Readonly<Record<WireName, WriteTurn>> = {
  'anthropic-messages': writeMessages,
  'openai-chat': writeChat,
  'openai-responses': writeResponses,
}

export async function startValidatingUpstream({
  wire,
  vendor = 'openai',
  calls = new Set(),
  mayLack = false,
}: ValidatingOptions): Promise<ValidatingUpstream> {
  const server = await startUpstream()
  const issued: Issued[] = []
  const scripts: Scripted[] = []
  const bodies: Json[] = []
  const findings: Finding[] = []
  let serial = 0

  const isOwnSeal = (seal: string): boolean => issued.some(({ seals }) => seals.includes(seal))
  const validate = (body: Json, headers: Record<string, string | undefined>): Finding[] => {
    switch (wire) {
      case 'anthropic-messages':
        return validateAnthropic(body, { headers, isOwnSeal })
      case 'openai-chat':
        return validateChat(body, { vendor })
      case 'openai-responses':
        return validateResponses(body, { isOwnSeal })
    }
  }
  const refuse = (message: string): Reply => ({
    ...JSON_REPLY,
    status: 400,
    body: JSON.stringify(
      wire === 'anthropic-messages' ? messagesError(message) : openAiError(message),
    ),
  })

  server.answer((request) => {
    const body = JSON.parse(request.body.toString()) as Json
    bodies.push(body)
    const headers = request.headers as Record<string, string | undefined>
    const found = [
      ...validate(body, headers),
      ...checkHistory(wire, body, issued, { others: calls, mayLack }),
    ]
    findings.push(...found)
    if (found.length > 0)
      return refuse(found.map(({ path, message }) => `${path}: ${message}`).join('; '))
    const next = scripts.shift()
    if (next === undefined) return refuse('Nothing was scripted for this request')
    if ('silence' in next) return { headDelay: 60_000 }
    if (!isTurn(next)) return toFault(wire, next.fault)
    const written = WRITE[wire](withNames(next, body), ++serial, String(body['model']))
    issued.push(written.issued)
    for (const { id } of written.issued.calls) calls.add(id)
    if (body['stream'] !== true) return { ...JSON_REPLY, body: JSON.stringify(written.body) }
    const stream = Buffer.from(written.frames.join(''))
    const cuts = next.isCut === true ? cutsOf(stream.length) : []
    return { body: stream, cuts, ending: ENDINGS[next.ending ?? 'error'] }
  })

  return {
    url: wire === 'anthropic-messages' ? server.url : `${server.url}/v1`,
    wire,
    server,
    bodies,
    findings,
    script: (...turns) => void scripts.push(...turns),
    reset() {
      scripts.length = 0
      bodies.length = 0
      findings.length = 0
    },
    close: () => server.close(),
  }
}

/** A model calls tools by the names that it was told. */
function withNames(turn: ScriptedTurn, body: Json): ScriptedTurn {
  const names = toObjects(body['tools']).map(
    (tool) => tool['name'] ?? (tool['function'] as Json | undefined)?.['name'],
  )
  const named = (call: ScriptedCall): ScriptedCall =>
    call.name.startsWith('#') ? { ...call, name: String(names[Number(call.name.slice(1))]) } : call
  return turn.calls === undefined ? turn : { ...turn, calls: turn.calls.map(named) }
}

/** In the middle of words, of characters and of line ends. */
const cutsOf = (length: number): number[] =>
  Array.from({ length: Math.floor(length / 37) }, (_, i) => (i + 1) * 37 + (i % 3))

/** An error is said, and then the stream ends as it should. */
const ENDINGS = { cut: 'destroy', error: 'end', hang: 'hang' } as const

const JSON_REPLY: Reply = {
  headers: { 'content-type': 'application/json' },
  framing: 'content-length',
}

function toFault(wire: WireName, name: keyof typeof OPENAI_FAULTS): Reply {
  const fault = (wire === 'anthropic-messages' ? MESSAGES_FAULTS : OPENAI_FAULTS)[name]
  return {
    framing: 'content-length',
    headers: { 'content-type': 'application/json', ...fault.headers },
    status: fault.status,
    body: JSON.stringify(fault.body),
  }
}
