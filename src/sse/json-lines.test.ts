import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  anyPlaces,
  cutAt,
  cutEvery,
  fromUtf8,
  joinBytes,
  toUtf8,
} from '../../test/support/bytes.ts'
import type { Frame } from './frame.ts'
import { createJsonLinesDecoder } from './json-lines.ts'

function read(pieces: readonly Uint8Array[], maxFrameBytes?: number): Frame[] {
  const decoder = createJsonLinesDecoder(maxFrameBytes === undefined ? {} : { maxFrameBytes })
  const frames = pieces.flatMap((piece) => [...decoder.push(piece)])
  return [...frames, ...decoder.end()]
}

const dataOf = (text: string): (string | undefined)[] =>
  read([toUtf8(text)]).map(({ data }) => data)

test('gives one frame a line, marked as a line and without an event name', () => {
  const frames = read([toUtf8('{"a":1}\n{"a":2}\n')])
  expect(
    frames.map(({ event, data, isLine, isEnded }) => ({ event, data, isLine, isEnded })),
  ).toEqual([
    { event: undefined, data: '{"a":1}', isLine: true, isEnded: true },
    { event: undefined, data: '{"a":2}', isLine: true, isEnded: true },
  ])
})

test('gives a last line that has no line feed, and says so', () => {
  const frames = read([toUtf8('{"a":1}\n{"a":2}')])
  expect(frames.map(({ data, isEnded }) => [data, isEnded])).toEqual([
    ['{"a":1}', true],
    ['{"a":2}', false],
  ])
})

test('leaves line endings and space around a line out of the data and in the raw bytes', () => {
  const text = ' {"a":1} \r\n\t{"a":2}\r\n'
  expect(dataOf(text)).toEqual(['{"a":1}', '{"a":2}'])
  expect(fromUtf8(joinBytes(read([toUtf8(text)]).map(({ raw }) => raw)))).toBe(text)
})

test('gives a frame without data for a blank line', () => {
  expect(dataOf('\n{"a":1}\n  \n')).toEqual([undefined, '{"a":1}', undefined])
})

test('passes over a byte order mark', () => {
  expect(dataOf('\uFEFF{"a":1}\n')).toEqual(['{"a":1}'])
})

test('gives nothing for nothing', () => {
  expect(read([])).toEqual([])
  expect(read([new Uint8Array(0)])).toEqual([])
})

test('refuses a line over the limit by name, in one buffer and in many', () => {
  const line = toUtf8('{"a":"12345"}\n')
  expect(read([line], line.length)).toHaveLength(1)
  expect(read(cutEvery(line, 1), line.length)).toHaveLength(1)
  for (const pieces of [[line], cutEvery(line, 1), [line.slice(0, -1)]])
    expect(() => read(pieces, 12)).toThrow(expect.objectContaining({ code: 'frame-too-large' }))
  expect(() => read([line], 12)).toThrow('Cannot hold a line over 12 bytes: got 14')
})

test('gives the same lines wherever the bytes are cut, and their raw bytes are the input', () => {
  const someBytes = fc
    .array(fc.oneof(fc.constantFrom(10, 10, 13, 32, 123), fc.nat(255)), { maxLength: 100 })
    .map((bytes) => Uint8Array.from(bytes))
  const withPlaces = someBytes.chain((bytes) => fc.tuple(fc.constant(bytes), anyPlaces(bytes)))
  const plain = (frames: readonly Frame[]): object[] =>
    frames.map(({ data, isEnded, raw }) => ({ data, isEnded, raw: [...raw] }))
  fc.assert(
    fc.property(withPlaces, ([bytes, places]) => {
      const frames = read(cutAt(bytes, places))
      expect(plain(frames)).toEqual(plain(read([bytes])))
      expect(joinBytes(frames.map(({ raw }) => raw))).toEqual(bytes)
    }),
    { numRuns: 500 },
  )
})

test('reads a megabyte in four-byte pieces', () => {
  const bytes = toUtf8(`"${'a'.repeat(1024 * 1024)}"\n`)
  expect(read(cutEvery(bytes, 4))[0]?.data).toHaveLength(1024 * 1024 + 2)
})
