/**
 * The output item that the client is being told of. Neighbours: `item-writer.ts` owns it,
 * `message-parts.ts` writes the parts of a message into it.
 */
import { createFragments, type Fragments } from '../../base/fragments.ts'
import type { JsonObject } from '../../base/json.ts'
import type { BlockInfo } from '../../event/block.ts'
import type { PartJson } from './json.ts'

export interface OpenItem {
  readonly info: BlockInfo
  readonly index: number
  readonly id: string
  /** The finished parts of a message, and each as JSON: they are said three times. */
  readonly parts: (PartJson | JsonObject)[]
  readonly rawParts: string[]
  /** The growing text: of the open part, of the summary, of the arguments. */
  text: Fragments
  part: 'output_text' | 'refusal' | undefined
  /** Where the current block begins in the text of the part. */
  blockAt: number
  annotations: JsonObject[]
  /** The open part as the upstream had it whole. */
  final: JsonObject | undefined
  signature: string | undefined
  callId: string
  /** Its id and index as JSON, once somebody asked. */
  place: string | undefined
}

/** One that begins. */
export const newItem = ({
  info,
  index,
  id,
}: Pick<OpenItem, 'info' | 'index' | 'id'>): OpenItem => ({
  info,
  index,
  id,
  parts: [],
  rawParts: [],
  text: createFragments(),
  part: undefined,
  annotations: [],
  blockAt: 0,
  final: undefined,
  signature: undefined,
  callId: '',
  place: undefined,
})

/** Where an event of that item belongs. */
export const placeOf = (item: OpenItem): object => ({ item_id: item.id, output_index: item.index })

/** The same as JSON, without braces. */
export const rawPlaceOf = (item: OpenItem): string =>
  (item.place ??= `"item_id":${JSON.stringify(item.id)},"output_index":${item.index}`)
