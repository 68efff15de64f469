import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toOwnBytes, toOwnPieces } from './own-bytes.ts'

const text = fc.string({ unit: 'binary' })

test('says what Buffer says, in memory that nobody else has a part of', () => {
  const property = fc.property(text, (given) => {
    const bytes = toOwnBytes(given)
    expect(bytes.equals(Buffer.from(given))).toBe(true)
    expect(bytes.buffer.byteLength).toBe(bytes.length)
  })
  fc.assert(property)
})

test('says several texts, each by itself, in one piece of memory', () => {
  const property = fc.property(text, text, text, (one, two, three) => {
    const pieces = toOwnPieces(one, two, three)
    const expected = [one, two, three].map((each) => Buffer.from(each))
    expect(pieces.map((piece, at) => piece.equals(expected[at] ?? Buffer.alloc(0)))).toEqual([
      true,
      true,
      true,
    ])
    expect(new Set(pieces.map(({ buffer }) => buffer)).size).toBe(1)
  })
  fc.assert(property)
})
