/**
 * An answer as history: what its client would send next, and what the upstream's API would refuse of that. Neighbours:
 * `history-client.ts` keeps the conversation as clients do, `api-rules-*.ts` are the rules.
 */
import type { JsonObject } from '../../src/base/json.ts'
import type { WireName } from '../../src/event/event.ts'
import { withoutOrphans } from '../../src/exchange/orphaned-reasoning.ts'
import { toProfile } from '../../src/request/profile.ts'
import { translateRequest } from '../../src/translate/translate.ts'
import { WIRES } from '../../src/wire/wires.ts'
import { isObject, type Json } from './api-rules.ts'
import { breaks } from './crossing.ts'
import { createHistoryClient } from './history-client.ts'

const MODELS: Readonly<Record<WireName, string>> = {
  'anthropic-messages': 'claude-opus-4-5',
  'openai-chat': 'gpt-4.1',
  'openai-responses': 'gpt-5.2',
}

export interface Turn {
  readonly client: WireName
  readonly upstream: WireName
  readonly answer: Buffer
  readonly isStream: boolean
}

/** What would be refused of the next request, a sentence each. */
export function refusedNext(turn: Turn): readonly string[] {
  const client = createHistoryClient(turn.client)
  client.say('Go on.')
  const asked = client.take(turn.answer, turn.isStream)
  if (asked.length > 0)
    client.results(asked.map(({ id }) => ({ id, text: 'done', isError: false })))
  const history = client.history as Json[]
  for (const item of history.slice())
    if (item['type'] === 'custom_tool_call')
      history.push({
        type: 'custom_tool_call_output',
        call_id: item['call_id'],
        output: 'done',
      })
  client.say('And now?')
  const body = { ...client.body(true), model: MODELS[turn.client] } as JsonObject
  const sent = toUpstream(turn, withoutOrphans(body) ?? body)
  if (typeof sent === 'string') return [sent]
  const findings = breaks(turn.upstream, sent as Json, { vendor: 'openai' })
  return [...findings.map(({ message }) => message), ...hasEmpty(turn.client, history)]
}

function toUpstream({ client, upstream }: Turn, body: JsonObject): JsonObject | string {
  if (client === upstream) return body
  const model = MODELS[upstream]
  const translated = translateRequest({
    from: WIRES[client],
    to: WIRES[upstream],
    body,
    model,
    isStream: true,
    profile: toProfile({ wire: upstream, model }),
    issuer: 'up',
    recall: () => undefined,
    recallExtra: () => undefined,
  })
  return translated.ok ? translated.body : `Cannot be translated: ${translated.problem.message}`
}

/** Turns of a model that say nothing at all are refused by some, and show nothing to a person. */
function hasEmpty(wire: WireName, history: readonly Json[]): string[] {
  const isEmpty = ({ role, content, tool_calls: calls }: Json): boolean =>
    role === 'assistant' &&
    calls === undefined &&
    (content === null || content === '' || (Array.isArray(content) && content.length === 0))
  const said = history.filter(isObject)
  const isSilent = wire === 'openai-responses' && !said.some((item) => isModels(item))
  return said.some(isEmpty) || isSilent ? ['A turn of the model says nothing'] : []
}

const isModels = ({ role, type }: Json): boolean =>
  role === 'assistant' || (role === undefined && type !== 'message')
