/** What a call of this wire says beside its name and its arguments. Neighbours: `choice-writer.ts` writes it again. */
import type { JsonObject } from '../../base/json.ts'
import type { BlockInfo } from '../../event/block.ts'

/** The index that its server gave it. */
export function indexOf(info: BlockInfo): number | undefined {
  const index = info.vendor?.['index']
  return typeof index === 'number' && Number.isInteger(index) && index >= 0 && index < 1000
    ? index
    : undefined
}

/** Fields of a call that we do not know, such as Gemini's `extra_content` with its signature. */
export function restOfCall(vendor: JsonObject | undefined): JsonObject {
  if (vendor === undefined) return {}
  const {
    index: _index,
    id: _id,
    type: _type,
    function: _function,
    custom: _custom,
    ...rest
  } = vendor
  return rest
}
