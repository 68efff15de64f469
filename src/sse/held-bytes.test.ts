import fc from 'fast-check'
import { expect, test } from 'vitest'
import { joinBytes } from '../../test/support/bytes.ts'
import { HeldBytes, joinSpans } from './held-bytes.ts'

test('gives back what was held, in order, however many pieces there were', () => {
  const piece = fc.tuple(fc.uint8Array({ maxLength: 5 }), fc.nat(6))
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 900, size: 'max' }), (pieces) => {
      const held = new HeldBytes()
      for (const [bytes, from] of pieces) held.add(bytes, from)
      const whole = joinBytes(pieces.map(([bytes, from]) => bytes.slice(from)))
      expect(held.length).toBe(whole.length)
      expect(joinSpans(held.take())).toEqual(whole)
      expect(held.length).toBe(0)
      expect(joinSpans(held.take())).toEqual(new Uint8Array(0))
    }),
    { numRuns: 50 },
  )
})

test('does not change what was taken when more is held afterwards', () => {
  const held = new HeldBytes()
  for (let i = 0; i < 600; i++) held.add(Uint8Array.of(1), 0)
  const first = held.take()
  for (let i = 0; i < 600; i++) held.add(Uint8Array.of(2), 0)
  expect(joinSpans(first)).toEqual(new Uint8Array(600).fill(1))
  expect(joinSpans(held.take())).toEqual(new Uint8Array(600).fill(2))
})

test('gives a view and no copy when all bytes lie in one buffer', () => {
  const bytes = Uint8Array.of(1, 2, 3, 4)
  expect(joinSpans([{ bytes, from: 1, to: 3 }]).buffer).toBe(bytes.buffer)
})
