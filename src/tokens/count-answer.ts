/**
 * The answers of the two endpoints that count, both ways, so that one upstream's answer can be given to a
 * client of the other: `POST /v1/messages/count_tokens` and `POST /v1/responses/input_tokens`. Chat has none.
 * Neighbours: `counter.ts` where nobody can be asked. Vendor names stand here as they do in `wire/`.
 */
import { toCount, type JsonObject } from '../base/json.ts'
import type { WireName } from '../event/event.ts'

/** The header of an answer that was not counted by the model's own tokenizer. */
export const ESTIMATE_HEADER = { 'x-sluice-tokens': 'estimate' } as const

export function writeCount(wire: WireName, tokens: number): JsonObject {
  switch (wire) {
    case 'anthropic-messages':
      return { input_tokens: tokens }
    // Chat clients have no such endpoint; the plainest answer is the one with a name on it.
    case 'openai-chat':
    case 'openai-responses':
      return { object: 'response.input_tokens', input_tokens: tokens }
  }
}

/** The count in an upstream's answer; `undefined` when it is none, and then an estimate is better. */
export function readCount(body: JsonObject): number | undefined {
  const tokens = toCount(body['input_tokens'])
  return tokens === undefined ? undefined : Math.round(tokens)
}
