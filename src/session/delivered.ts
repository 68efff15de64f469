/**
 * What a client was given: the body of an answer on its wire → the id it knows, the ids of the calls it was
 * asked to run, and what it would send back as history. Each wire in its own words, and only these few.
 * Neighbours: `collect.ts` asks.
 */
import { isObject, toList, toObject, toText, type JsonObject } from '../base/json.ts'
import type { WireName } from '../event/event.ts'

export interface Delivered {
  readonly id: string | undefined
  readonly callIds: readonly string[]
  /** Responses: the output items. Messages: the assistant's message. Chat keeps no state. */
  readonly items: readonly JsonObject[]
}

export function readDelivered(wire: WireName, body: JsonObject): Delivered {
  const id = toText(body['id'])
  switch (wire) {
    case 'anthropic-messages': {
      const content = toList(body['content']).filter(isObject)
      const calls = content.filter(({ type }) => type === 'tool_use')
      // The API takes no message without content; a refusal may have none.
      const items = content.length === 0 ? [] : [{ role: 'assistant', content }]
      return { id, callIds: idsOf(calls, 'id'), items }
    }
    case 'openai-chat': {
      const [choice] = toList(body['choices'])
      const calls = toList(toObject(toObject(choice)?.['message'])?.['tool_calls'])
      return { id, callIds: idsOf(calls.filter(isObject), 'id'), items: [] }
    }
    case 'openai-responses': {
      const items = toList(body['output']).filter(isObject)
      const calls = items.filter(({ type }) => toText(type)?.endsWith('_call') === true)
      return { id, callIds: idsOf(calls, 'call_id'), items }
    }
  }
}

const idsOf = (calls: readonly JsonObject[], field: string): readonly string[] =>
  calls.flatMap((call) => toText(call[field]) ?? [])
