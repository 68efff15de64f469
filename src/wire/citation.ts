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

/** The page that a citation names, with its place in the text; `undefined` when it names none. */
export function readUrlCitation(
  citation: JsonObject,
  source: WireName | undefined,
  textLength: number,
): UrlCitation | undefined {
  const nested = toObject(citation['url_citation']) ?? citation
  const url = toText(nested['url'])
  if (url === undefined) return undefined
  const start = nested['start_index']
  const end = nested['end_index']
  const isPlaced =
    source !== 'anthropic-messages' && typeof start === 'number' && typeof end === 'number'
  return {
    url,
    title: toText(nested['title']) ?? url,
    start_index: isPlaced ? start : 0,
    end_index: isPlaced ? end : textLength,
  }
}

/** As Chat nests it. */
export function toUrlCitation(
  citation: JsonObject,
  source: WireName | undefined,
  textLength: number,
): JsonObject | undefined {
  const read = readUrlCitation(citation, source, textLength)
  return read === undefined ? undefined : { type: 'url_citation', url_citation: { ...read } }
}
