import { expect, test } from 'vitest'
import { createRandom, createRandomHex } from './random.ts'

test('gives two digits for each byte that is asked for, and never the same again', () => {
  const random = createRandomHex()
  const seen = new Set<string>()
  // Through several fillings of the pool, in sizes that do not divide it.
  for (let count = 0; count < 5000; count++) {
    const digits = random(12)
    expect(digits).toMatch(/^[0-9a-f]{24}$/)
    seen.add(digits)
  }
  expect(seen.size).toBe(5000)
})

test('gives as many bytes as asked for, and never the same again', () => {
  const random = createRandom()
  expect(random(12)).toHaveLength(12)
  expect(new Set(Array.from({ length: 5000 }, () => random(12).toString('hex'))).size).toBe(5000)
})

test('two pools have nothing in common', () => {
  expect(createRandomHex()(16)).not.toEqual(createRandomHex()(16))
})
