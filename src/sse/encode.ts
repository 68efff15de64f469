/**
 * Frames to text. Neighbours: `wire/` says what stands in a frame. Knows the SSE grammar only.
 * The payload is one line: JSON never has a raw line ending in it.
 */

/** What leaves: text that we wrote, or bytes that pass as they came. */
export type Written = string | Uint8Array

/** A frame with an `event:` line, as Anthropic and Responses clients want it. */
export const writeEvent = (event: string, data: string): string =>
  `event: ${event}\ndata: ${data}\n\n`

/** A frame without a name, as Chat clients want it. */
export const writeData = (data: string): string => `data: ${data}\n\n`

/** A comment: keeps a connection alive, and no client sees it. */
export const writeComment = (text: string): string => `: ${text.replace(/[\r\n]+/g, ' ')}\n\n`

const encoder = new TextEncoder()

export const toBytes = (written: Written): Uint8Array =>
  typeof written === 'string' ? encoder.encode(written) : written
