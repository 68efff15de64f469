/**
 * Sources of a text, from wire to wire. Only a web page has a form on all of them; what refers to the
 * vendor's own documents or indices means nothing elsewhere. Neighbours: the writers of the OpenAI wires.
 */
import { toObject, toText, type JsonObject } from '../base/json.ts'
import type { WireName } from '../event/event.ts'

export interface UrlCitation {
  readonly url: string
  readonly title: string
  readonly start_index: number
  readonly end_index: number
}

/** From where to where in the text a block stands: what a citation without a place of its own is for. */
export interface Extent {
  readonly start: number
  readonly end: number
}

/** Anthropic cites before it writes: the place of its citations is known when their block is over. */
export const citesBlocks = (source: WireName | undefined): boolean =>
  source === 'anthropic-messages'

/** The page that a citation names, with its place in the text; `undefined` when it names none. */
export function readUrlCitation(
  citation: JsonObject,
  source: WireName | undefined,
  extent: Extent,
): UrlCitation | undefined {
  const nested = toObject(citation['url_citation']) ?? citation
  const url = toText(nested['url'])
  if (url === undefined) return undefined
  const start = nested['start_index']
  const end = nested['end_index']
  const isPlaced = !citesBlocks(source) && typeof start === 'number' && typeof end === 'number'
  return {
    url,
    title: toText(nested['title']) ?? url,
    // A place of its own is one in its block.
    start_index: isPlaced ? start + extent.start : extent.start,
    end_index: isPlaced ? end + extent.start : extent.end,
  }
}

/** As Chat nests it. */
export function toUrlCitation(
  citation: JsonObject,
  source: WireName | undefined,
  extent: Extent,
): JsonObject | undefined {
  const read = readUrlCitation(citation, source, extent)
  return read === undefined ? undefined : { type: 'url_citation', url_citation: { ...read } }
}
