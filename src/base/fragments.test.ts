import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createFragments } from './fragments.ts'

test('is the joined text of its pieces, whenever somebody asks', () => {
  const piece = fc.oneof(fc.string(), fc.constant(''))
  fc.assert(
    fc.property(fc.string(), fc.array(fc.tuple(piece, fc.boolean())), (first, pieces) => {
      const text = createFragments(first)
      let expected = first
      for (const [one, asks] of pieces) {
        text.add(one)
        expected += one
        expect(text.length).toBe(expected.length)
        if (asks) expect(text.toString()).toBe(expected)
      }
      expect(text.toString()).toBe(expected)
      expect(text.toString()).toBe(expected)
    }),
  )
})

test('keeps the order over many foldings', () => {
  const text = createFragments()
  const pieces = Array.from({ length: 5000 }, (_, i) => `${i},`)
  for (const piece of pieces) text.add(piece)
  expect(text.toString()).toBe(pieces.join(''))
  text.add('end')
  expect(text.toString()).toBe(`${pieces.join('')}end`)
})

test('is empty at first', () => {
  expect(createFragments().length).toBe(0)
  expect(createFragments().toString()).toBe('')
})

test('takes time in proportion to its pieces', { timeout: 60_000, retry: 3 }, () => {
  const timeOf = (count: number): number => {
    const text = createFragments()
    const began = performance.now()
    for (let i = 0; i < count; i++) text.add('aaaa')
    expect(text.toString()).toHaveLength(count * 4)
    return performance.now() - began
  }
  timeOf(250_000) // warms up
  const small = Math.max(timeOf(250_000), timeOf(250_000), 1)
  expect(timeOf(2_500_000) / small).toBeLessThan(30)
})
