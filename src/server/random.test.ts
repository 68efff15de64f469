import { expect, test } from 'vitest'
import { createRandom } from './random.ts'

test('gives as many bytes as asked for, and never the same again', () => {
  const random = createRandom()
  const seen = new Set<string>()
  // Through several fillings of the pool, in sizes that do not divide it.
  for (let count = 0; count < 5000; count++) {
    const bytes = random(12)
    expect(bytes).toHaveLength(12)
    seen.add(Buffer.from(bytes).toString('hex'))
  }
  expect(seen.size).toBe(5000)
})

test('two pools have nothing in common', () => {
  expect(createRandom()(16)).not.toEqual(createRandom()(16))
})
