import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createTape } from './playback-tape.ts'

const bytes = new Uint8Array(
  readFileSync(
    new URL('../../test/fixtures/anthropic-messages/parallel-tools.sse', import.meta.url),
  ),
)
const half = Math.floor(bytes.length / 2)
const tape = () => createTape('anthropic-messages', bytes, [half, 1000, bytes.length - half, 9000])

test('a tape knows where the answer was at any moment', () => {
  const one = tape()
  expect([one.first, one.last]).toEqual([1000, 9000])
  expect(one.at(999)).toEqual([])
  const early = one.at(1000)
  expect(early.length).toBeGreaterThan(0)
  expect(one.at(8999)).toBe(early)
  const all = one.at(9000)
  expect(all.every(({ isComplete }) => isComplete)).toBe(true)
  expect(all.length).toBeGreaterThan(early.length)
})

test('going back shows what was there then', () => {
  const one = tape()
  const early = one.at(1000)
  one.at(9000)
  expect(one.at(1000)).toEqual(early)
  expect(one.at(0)).toEqual([])
})
