/** What is true of every stream of bytes, however it is cut. `decode.test.ts` has the single cases. */
import { createParser } from 'eventsource-parser'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyPlaces, cutAt, joinBytes, toUtf8 } from '../../test/support/bytes.ts'
import { heldBytes } from '../../test/support/heap.ts'
import { createFrameDecoder } from './decode.ts'
import type { Frame } from './frame.ts'

function read(pieces: readonly Uint8Array[]): Frame[] {
  const decoder = createFrameDecoder()
  const frames = pieces.flatMap((piece) => [...decoder.push(piece)])
  return [...frames, ...decoder.end()]
}

const plain = (frames: readonly Frame[]): object[] =>
  frames.map(({ event, data, stray, isEnded, raw }) => ({
    event,
    data,
    stray,
    isEnded,
    raw: [...raw],
  }))

/** `RUNS` makes them more thorough, as in the other properties. */
const runs = (count: number): { numRuns: number } => ({
  numRuns: Number(process.env['RUNS'] ?? count),
})

// Bytes that matter to the grammar, bytes that matter to UTF-8, and any.
const grammarByte = fc.constantFrom(...toUtf8('\r\n\r\n: datevnidry{'))
const sequenceByte = fc.constantFrom(
  0x80,
  0xbf,
  0xc3,
  0xa9,
  0xe2,
  0x82,
  0xac,
  0xf0,
  0x9f,
  0x98,
  0xef,
  0xbb,
  0xff,
)
const anyBytes = fc
  .array(fc.oneof(grammarByte, sequenceByte, fc.nat(255)), { maxLength: 120 })
  .map((bytes) => Uint8Array.from(bytes))

const ending = fc.constantFrom('\n', '\r', '\r\n')
const word = fc.string({ unit: 'binary', maxLength: 6 }).map((text) => text.replace(/[\r\n]/g, ''))
const line = fc.oneof(
  fc
    .tuple(
      fc.constantFrom('data', 'event', 'id', 'retry', ''),
      fc.constantFrom(':', ': ', ':  ', ''),
      word,
    )
    .map((parts) => parts.join('')),
  word,
  fc.constant(''),
)
const someLines = fc
  .array(fc.tuple(line, ending), { maxLength: 8 })
  .map((lines) => lines.map(([text, end]) => text + end).join(''))
// Frames as vendors write them, for which the decoder has a shorter way.
const name = fc.constantFrom('ping', 'message_start', 'ä')
const plainFrame = fc
  .tuple(name, fc.boolean(), word)
  .map(([event, isNamed, data]) => `${isNamed ? `event: ${event}\n` : ''}data: ${data}\n\n`)
const anyText = fc
  .array(fc.oneof(someLines, plainFrame, plainFrame), { maxLength: 8 })
  .map((parts) => parts.join(''))

describe('wherever the bytes are cut', () => {
  const sameFrames = (bytes: Uint8Array, places: readonly number[]): void => {
    const whole = read([bytes])
    const pieces = read(cutAt(bytes, places))
    expect(plain(pieces)).toEqual(plain(whole))
    expect(joinBytes(whole.map(({ raw }) => raw))).toEqual(bytes)
  }
  const withPlaces = (bytes: Uint8Array): fc.Arbitrary<[Uint8Array, number[]]> =>
    fc.tuple(fc.constant(bytes), anyPlaces(bytes))

  test('random bytes give the same frames, and their raw bytes are the input', () => {
    fc.assert(
      fc.property(anyBytes.chain(withPlaces), ([bytes, places]) => sameFrames(bytes, places)),
      runs(2000),
    )
  })

  test('text that looks like SSE gives the same frames, and their raw bytes are the input', () => {
    fc.assert(
      fc.property(anyText.map(toUtf8).chain(withPlaces), ([bytes, places]) =>
        sameFrames(bytes, places),
      ),
      runs(1000),
    )
  })

  test('one byte at a time gives the same frames', () => {
    fc.assert(
      fc.property(fc.oneof(anyBytes, anyText.map(toUtf8)), (bytes) =>
        sameFrames(bytes, [...bytes.keys()]),
      ),
      runs(500),
    )
  })

  test('the bytes of a frame are read right although nobody asks for them before the end', () => {
    fc.assert(
      fc.property(anyText.map(toUtf8).chain(withPlaces), ([bytes, places]) => {
        const frames = read(cutAt(bytes, places))
        const backwards = frames.toReversed().map(({ raw }) => raw)
        expect(joinBytes(backwards.toReversed())).toEqual(bytes)
      }),
    )
  })
})

describe('beside eventsource-parser', () => {
  /*
   * Where the two differ on purpose, and what is done about it here:
   * - It gives out only what has a `data` line. We give every frame; those without data are left out.
   * - An empty event name is `undefined` to it and `''` to us.
   * - It knows a byte order mark only as three characters, as if bytes had been read as Latin-1. Text
   *   that begins with either form is left out.
   * - It drops what no blank line ended, and waits forever behind a last CR. All text gets a blank
   *   line at its end.
   */
  const oracle = (text: string): object[] => {
    const events: object[] = []
    const parser = createParser({ onEvent: ({ event, data }) => events.push({ event, data }) })
    parser.feed(text)
    return events
  }
  const ended = anyText
    .filter((text) => !text.startsWith('\uFEFF') && !text.startsWith('ï»¿'))
    .map((text) => `${text}\n\n`)

  test('reads the same events and data from any valid text', () => {
    fc.assert(
      fc.property(
        ended.chain((text) => fc.tuple(fc.constant(text), anyPlaces(toUtf8(text)))),
        ([text, places]) => {
          const ours = read(cutAt(toUtf8(text), places))
            .filter(({ data }) => data !== undefined)
            .map(({ event, data }) => ({ event: event === '' ? undefined : event, data }))
          expect(ours).toEqual(oracle(text))
        },
      ),
      runs(2000),
    )
  })
})

describe('a large frame in four-byte pieces', () => {
  const MEGABYTE = 1024 * 1024
  const piece = toUtf8('aaaa')

  /** Pushes all of the frame but its end. */
  function fill(bytes: number): ReturnType<typeof createFrameDecoder> {
    const decoder = createFrameDecoder()
    decoder.push(toUtf8('data: '))
    for (let at = 0; at < bytes; at += 4) decoder.push(piece.slice())
    return decoder
  }

  function timeOf(bytes: number): number {
    const began = performance.now()
    const [frame] = fill(bytes).push(toUtf8('\n\n'))
    expect(frame?.data?.length).toBe(bytes)
    expect(frame?.raw.length).toBe(bytes + 8)
    return performance.now() - began
  }

  test('takes time in proportion to its size', { timeout: 120_000, retry: 3 }, () => {
    timeOf(MEGABYTE) // warms up
    const small = Math.max(timeOf(MEGABYTE), timeOf(MEGABYTE))
    expect(timeOf(10 * MEGABYTE) / small).toBeLessThan(20)
  })

  test(
    'takes not much more memory than its own bytes and text',
    { timeout: 120_000, retry: 2 },
    () => {
      const before = heldBytes()
      const decoder = fill(10 * MEGABYTE)
      expect(heldBytes() - before).toBeLessThan(60 * MEGABYTE)
      expect(decoder.end()).toHaveLength(1)
    },
  )
})
