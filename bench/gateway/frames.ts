/**
 * The answers that are measured with: frames of each wire, as agents get them, each ready to be written as one HTTP
 * chunk, and the same answer as JSON. Neighbours: `upstream.ts` sends them, `stamps.ts` writes and reads the times
 * that frames of text have room for.
 */
import { createAssembler, readEvents, type WireName } from '../../src/index.ts'
import { WIRES } from '../../src/wire/wires.ts'
import { cutFrames, makeStream } from '../streams.ts'
import { EMPTY_STAMP } from './stamps.ts'

export const PATHS: Readonly<Record<WireName, string>> = {
  'anthropic-messages': '/v1/messages',
  'openai-chat': '/v1/chat/completions',
  'openai-responses': '/v1/responses',
}

/** Where each wire says text. */
const TEXT_BEGINS: Readonly<Record<WireName, string>> = {
  'anthropic-messages': '"text_delta","text":"',
  'openai-chat': '"content":"',
  'openai-responses': '"delta":"',
}

/** In a text near the beginning: what `redact` finds, so that it writes the rest anew. */
const ADDRESS = 'ann@example.com '
const ADDRESS_AT = 3

/** Frames of an answer that are not deltas, at most; and how many are made one by one. */
const MOST_AROUND = 18
const MAX_MADE = 20_000

export interface BenchFrame {
  /** With the framing of an HTTP chunk. */
  readonly bytes: Buffer
  /** Where the letters of the stamp go; `undefined`: there is no room. */
  readonly stampAt: number | undefined
}

export interface BenchAnswer {
  readonly chunks: number
  /** `undefined` behind the end. */
  frameAt(place: number): BenchFrame | undefined
}

const made = new Map<string, BenchAnswer>()

/** An answer of about so many chunks; a very long one says one text over and over. */
export function benchAnswer(wire: WireName, chunks: number): BenchAnswer {
  const key = `${wire} ${chunks}`
  const known = made.get(key)
  if (known !== undefined) return known
  const frames = toFrames(wire, Math.min(chunks, MAX_MADE))
  const repeatedAt = frames.findLastIndex(({ stampAt }) => stampAt !== undefined)
  const extra = Math.max(0, chunks - MAX_MADE)
  const answer: BenchAnswer = {
    chunks: frames.length + extra,
    frameAt: (place) => frames[place <= repeatedAt ? place : Math.max(repeatedAt, place - extra)],
  }
  made.set(key, answer)
  return answer
}

function toFrames(wire: WireName, chunks: number): readonly BenchFrame[] {
  let texts = 0
  return cutInto(wire, chunks).map((frame) => {
    const text = Buffer.from(frame).toString()
    const begin = text.indexOf(TEXT_BEGINS[wire])
    const at = begin + TEXT_BEGINS[wire].length
    if (begin === -1 || text.includes('arguments.delta') || text[at] === '"')
      return { bytes: toChunk(text), stampAt: undefined }
    const address = texts++ === ADDRESS_AT ? ADDRESS : ''
    const stamped = `${text.slice(0, at)}${EMPTY_STAMP} ${address}${text.slice(at)}`
    const bytes = toChunk(stamped)
    return { bytes, stampAt: bytes.indexOf(EMPTY_STAMP) }
  })
}

/** As many frames, or a few more: how many begin and end an answer differs from wire to wire. */
function cutInto(wire: WireName, chunks: number): readonly Uint8Array[] {
  for (let deltas = Math.max(10, chunks - MOST_AROUND); ; deltas++) {
    const frames = cutFrames(makeStream(wire, deltas))
    if (frames.length >= chunks) return frames
  }
}

const toChunk = (frame: string | Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(`${Buffer.byteLength(frame).toString(16)}\r\n`),
    Buffer.from(frame),
    Buffer.from('\r\n'),
  ])

/** An answer of those frames, in which nothing is stamped. */
export function answerOf(frames: readonly Uint8Array[]): BenchAnswer {
  const ready = frames.map((frame): BenchFrame => {
    const bytes = Buffer.from(frame)
    return { bytes: toChunk(bytes), stampAt: undefined }
  })
  return { chunks: ready.length, frameAt: (place) => ready[place] }
}

export const benchBody = (wire: WireName, chunks: number): Buffer =>
  bodyOf(benchAnswer(wire, chunks))

/** The answer as a client reads it, without the framing of HTTP. */
export function bodyOf({ frameAt }: BenchAnswer): Buffer {
  const pieces: Buffer[] = []
  for (let place = 0; ; place++) {
    const frame = frameAt(place)
    if (frame === undefined) return Buffer.concat(pieces)
    pieces.push(frame.bytes.subarray(frame.bytes.indexOf('\r\n') + 2, -2))
  }
}

/** The same answer for who does not stream. */
export async function benchJson(wire: WireName, chunks: number): Promise<Buffer> {
  const { state, apply } = createAssembler()
  for await (const event of readEvents(WIRES[wire], [benchBody(wire, chunks)])) apply(event)
  return Buffer.from(JSON.stringify(WIRES[wire].writeAnswer(state).body))
}
