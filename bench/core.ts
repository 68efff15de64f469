/**
 * The stream core: framing against `eventsource-parser`, decoding and encoding against a plain
 * `JSON.parse` of each frame's data.
 */
import { createParser } from 'eventsource-parser'
import { createFrameDecoder, WIRE_NAMES, WIRES, type Frame, type WireName } from '../src/index.ts'
import type { Contender } from './measure.ts'
import { cutEvery, cutFrames, makeStream } from './streams.ts'

export interface Benchmark {
  readonly name: string
  /** What the ratios aim for, by contender. */
  readonly aims: Readonly<Record<string, number>>
  readonly contenders: readonly Contender[]
}

export function coreBenchmarks(deltas: number): Benchmark[] {
  return [...framing(deltas), ...WIRE_NAMES.map((wire) => coding(wire, deltas))]
}

function framing(deltas: number): Benchmark[] {
  const ascii = makeStream('anthropic-messages', deltas)
  const other = makeStream('anthropic-messages', deltas, false)
  const inputs: Readonly<Record<string, readonly Uint8Array[]>> = {
    '64 KiB buffers': cutEvery(ascii, 65_536),
    '1,400-byte buffers': cutEvery(ascii, 1400),
    'a buffer per frame': cutFrames(ascii),
    '150-byte buffers, frames cut': cutEvery(ascii, 150),
    '64 KiB buffers, not ASCII': cutEvery(other, 65_536),
    'a buffer per frame, not ASCII': cutFrames(other),
  }
  return Object.entries(inputs).map(([label, pieces]) => {
    return {
      name: `framing, ${label}`,
      aims: { sluice: 1 },
      contenders: [
        { name: 'eventsource-parser', run: () => runParser(pieces) },
        { name: 'sluice', run: () => runFramer(pieces) },
      ],
    }
  })
}

function runFramer(pieces: readonly Uint8Array[]): number {
  const decoder = createFrameDecoder()
  let count = 0
  for (const piece of pieces) count += decoder.push(piece).length
  return count + decoder.end().length
}

function runParser(pieces: readonly Uint8Array[]): number {
  const text = new TextDecoder()
  let count = 0
  const parser = createParser({ onEvent: () => (count += 1) })
  for (const piece of pieces) parser.feed(text.decode(piece, { stream: true }))
  return count
}

function coding(wire: WireName, deltas: number): Benchmark {
  const decoder = createFrameDecoder()
  const frames = cutFrames(makeStream(wire, deltas)).flatMap((piece) => decoder.push(piece))
  const data = frames.map((frame) => frame.data ?? '').filter((text) => text.startsWith('{'))
  const others = WIRE_NAMES.filter((name) => name !== wire)
  return {
    name: `coding, ${wire}`,
    aims: {
      decode: 1.5,
      'decode and encode, same wire': 1.65,
      ...Object.fromEntries(others.map((to) => [`to ${to}`, 3])),
    },
    contenders: [
      { name: 'JSON.parse', run: () => runParse(data) },
      { name: 'decode', run: () => runDecode(wire, frames) },
      { name: 'decode and encode, same wire', run: () => runEncode(wire, wire, frames) },
      ...others.map((to) => ({ name: `to ${to}`, run: () => runEncode(wire, to, frames) })),
    ],
  }
}

function runParse(data: readonly string[]): number {
  let count = 0
  for (const text of data) if (typeof JSON.parse(text) === 'object') count += 1
  return count
}

function runDecode(wire: WireName, frames: readonly Frame[]): number {
  const decoder = WIRES[wire].createDecoder()
  let events = 0
  for (const frame of frames) events += decoder.push(frame).length
  events += decoder.end().length
  return events > 0 ? frames.length : 0
}

function runEncode(wire: WireName, to: WireName, frames: readonly Frame[]): number {
  const decoder = WIRES[wire].createDecoder()
  const encoder = WIRES[to].createEncoder()
  let written = 0
  for (const frame of frames)
    for (const event of decoder.push(frame)) written += encoder.push(event).length
  for (const event of decoder.end()) written += encoder.push(event).length
  written += encoder.end().length
  return written > 0 ? frames.length : 0
}
