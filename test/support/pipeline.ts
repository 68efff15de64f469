/**
 * Bytes through the whole core and out again, in the ways that tests need.
 */
import { createAssembler } from '../../src/block/assemble.ts'
import type { StreamState } from '../../src/block/state.ts'
import type { StreamEvent, WireName } from '../../src/event/event.ts'
import type { Loss } from '../../src/event/loss.ts'
import { createFrameDecoder } from '../../src/sse/decode.ts'
import { toBytes, type Written } from '../../src/sse/encode.ts'
import type { Frame } from '../../src/sse/frame.ts'
import { createJsonLinesDecoder } from '../../src/sse/json-lines.ts'
import type { Finding } from '../../src/wire/grammar.ts'
import type { EncoderOptions } from '../../src/wire/wire.ts'
import { WIRES } from '../../src/wire/wires.ts'

/** The bytes in pieces, cut at those places. */
export function cut(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const sorted = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort(
    (a, b) => a - b,
  )
  const pieces: Uint8Array[] = []
  let from = 0
  for (const place of [...sorted, bytes.length]) {
    if (place > from) pieces.push(bytes.subarray(from, place))
    from = Math.max(from, place)
  }
  return pieces
}

export function readFrames(pieces: readonly Uint8Array[], isLines = false): Frame[] {
  const decoder = isLines ? createJsonLinesDecoder() : createFrameDecoder()
  return [...pieces.flatMap((piece) => [...decoder.push(piece)]), ...decoder.end()]
}

export function readEvents(
  wire: WireName,
  pieces: readonly Uint8Array[],
  isLines = false,
): StreamEvent[] {
  const decoder = WIRES[wire].createDecoder()
  return [
    ...readFrames(pieces, isLines).flatMap((frame) => [...decoder.push(frame)]),
    ...decoder.end(),
  ]
}

export interface Encoded {
  readonly bytes: Uint8Array
  readonly text: string
  readonly losses: readonly Loss[]
  readonly isVerbatim: boolean
}

export function encode(
  wire: WireName,
  events: Iterable<StreamEvent>,
  options?: EncoderOptions,
): Encoded {
  const encoder = WIRES[wire].createEncoder(options)
  const written: Written[] = []
  for (const event of events) written.push(...encoder.push(event))
  written.push(...encoder.end())
  const bytes = concat(written.map(toBytes))
  return {
    bytes,
    text: new TextDecoder().decode(bytes),
    losses: encoder.losses(),
    isVerbatim: encoder.isVerbatim,
  }
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts))
}

export function assemble(events: Iterable<StreamEvent>): StreamState {
  const assembler = createAssembler()
  for (const event of events) assembler.apply(event)
  return assembler.state
}

export function lint(wire: WireName, bytes: Uint8Array, isLines = false): readonly Finding[] {
  const grammar = WIRES[wire].createGrammar()
  return [
    ...readFrames([bytes], isLines).flatMap((frame) => [...grammar.push(frame)]),
    ...grammar.end(),
  ]
}

/** What of an answer every wire can say: what must be equal on both sides of a translation. */
export interface Essence {
  readonly text: string
  readonly thinking: string
  readonly calls: readonly { readonly name: string; readonly arguments: string }[]
}

export function essence(state: StreamState): Essence {
  const blocks = state.blocks.filter((block) => (block.choice ?? 0) === 0)
  const textOf = (type: 'text' | 'thinking'): string =>
    blocks.map((block) => (block.type === type ? block.text : '')).join('')
  return {
    text: squeeze(textOf('text')),
    thinking: squeeze(textOf('thinking')),
    calls: blocks
      .filter((block) => block.type === 'tool-call')
      .map((block) => ({
        name: block.name,
        arguments: canonical(block.arguments, block.dialect === 'custom'),
      })),
  }
}

/** Without white space: paragraphs that stood apart are joined with a blank line where they must be one. */
export const squeeze = (text: string): string => text.replace(/\s+/g, '')

/** Arguments as every wire ends up with them; free text becomes the one string of an object. */
export function canonical(text: string, isCustom = false): string {
  if (isCustom) return JSON.stringify({ input: text })
  try {
    return JSON.stringify(JSON.parse(text === '' ? '{}' : text))
  } catch {
    return `cut ${text}`
  }
}
