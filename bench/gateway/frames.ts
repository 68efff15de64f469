/**
 * The answers that are measured with: about a hundred frames of each wire, as agents get them, each
 * ready to be written as one HTTP chunk. Neighbours: `upstream.ts` sends them, `load.ts` reads the
 * stamps. Frames of text have room for the time at which they were sent.
 */
import type { WireName } from '../../src/index.ts'
import { cutFrames, makeStream } from '../streams.ts'

export const PATHS: Readonly<Record<WireName, string>> = {
  'anthropic-messages': '/v1/messages',
  'openai-chat': '/v1/chat/completions',
  'openai-responses': '/v1/responses',
}

/** What a stamp begins with; nothing else in the answers has it. */
export const STAMP_MARK = '@'.charCodeAt(0)
/** Nanoseconds of the system's steady clock, which all processes share. */
export const STAMP_DIGITS = 18

/** Where each wire says text. */
const TEXT_BEGINS: Readonly<Record<WireName, string>> = {
  'anthropic-messages': '"text_delta","text":"',
  'openai-chat': '"content":"',
  'openai-responses': '"delta":"',
}

export interface BenchFrame {
  /** With the framing of an HTTP chunk. */
  readonly bytes: Buffer
  /** Where the digits of the stamp go; `undefined`: there is no room. */
  readonly stampAt: number | undefined
}

const DELTAS = 88

/** The frames of one answer. */
export function benchFrames(wire: WireName): readonly BenchFrame[] {
  return cutFrames(makeStream(wire, DELTAS)).map((frame) => {
    const text = Buffer.from(frame).toString()
    const begin = text.indexOf(TEXT_BEGINS[wire])
    const at = begin + TEXT_BEGINS[wire].length
    const isText = begin !== -1 && !text.includes('arguments.delta')
    const stamp = `@${'0'.repeat(STAMP_DIGITS)} `
    const stamped = isText ? text.slice(0, at) + stamp + text.slice(at) : text
    const head = `${Buffer.byteLength(stamped).toString(16)}\r\n`
    return {
      bytes: Buffer.from(`${head}${stamped}\r\n`),
      stampAt: isText
        ? Buffer.byteLength(head + text.slice(0, at)) + Buffer.byteLength('@')
        : undefined,
    }
  })
}

/** The answer as a client reads it, without the framing of HTTP. */
export const benchBody = (wire: WireName): Buffer =>
  Buffer.concat(benchFrames(wire).map(({ bytes }) => bytes.subarray(bytes.indexOf('\r\n') + 2, -2)))
