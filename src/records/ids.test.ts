import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createIds } from './ids.ts'

test('ids have 26 characters that nobody misreads', () => {
  const create = createIds(randomBytes)
  for (let n = 0; n < 100; n++) expect(create(Date.now())).toMatch(/^[0-9a-hjkmnp-tv-z]{26}$/)
})

test('ids sort in the order in which they were made, whatever the clock does', () => {
  const inOrder = fc.property(fc.array(fc.nat(5), { minLength: 2 }), (steps) => {
    const create = createIds(randomBytes)
    // A clock that stands still, goes on, and is set back.
    const ids = steps.map((step) => create(1_700_000_000_000 + step))
    expect(ids.toSorted()).toEqual(ids)
    expect(new Set(ids).size).toBe(ids.length)
  })
  fc.assert(inOrder, { seed: 31 })
})

test('the random half carries over when it is full', () => {
  const full = createIds((size) => new Uint8Array(size).fill(255))
  const [first, second] = [full(5), full(5)]
  expect(first).toBe(`${'0'.repeat(9)}5${'z'.repeat(16)}`)
  // It begins anew, as it does once in 2^80.
  expect(second.slice(0, 18)).toBe(`${'0'.repeat(9)}5${'0'.repeat(8)}`)
})

test('the time can be read from an id', () => {
  const digits = '0123456789abcdefghjkmnpqrstvwxyz'
  const id = createIds(randomBytes)(1_763_244_000_123)
  const time = id
    .slice(0, 10)
    .split('')
    .reduce((sum, char) => sum * 32 + digits.indexOf(char), 0)
  expect(time).toBe(1_763_244_000_123)
})
