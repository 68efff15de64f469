/**
 * Sealed thinking on the Chat wire, which has no slot of its own for it: the list that OpenRouter
 * made for the purpose. Every entry carries an index, or the vendor's Python client throws.
 * Neighbours: `encode.ts` and `answer.ts`.
 */
import type { JsonObject } from '../../base/json.ts'
import type { WireName } from '../../event/event.ts'
import { seal, unseal } from '../envelope.ts'
import { NAME } from './json.ts'

export interface SealedThinking {
  readonly seals: readonly string[]
  readonly text: string
  readonly source: WireName | undefined
  /** The upstream that answers. */
  readonly issuer: string | undefined
  readonly redacted: boolean
  readonly item: JsonObject | undefined
}

export function toReasoningDetails(thinking: SealedThinking): readonly JsonObject[] {
  const { seals, text, source, issuer, redacted, item } = thinking
  if (source === NAME)
    return seals.map((data, index) => ({ type: 'reasoning.encrypted', index, data }))
  const last = seals.at(-1)
  const native = unseal(last)
  if (native?.wire === NAME)
    return native.signature === undefined
      ? []
      : [{ type: 'reasoning.encrypted', index: 0, data: native.signature }]
  const data = seal({
    wire: source ?? NAME,
    issuer,
    text,
    ...(last === undefined ? {} : { signature: last }),
    ...(redacted ? { redacted } : {}),
    ...(item === undefined ? {} : { item }),
  })
  return [{ type: 'reasoning.encrypted', index: 0, data }]
}
