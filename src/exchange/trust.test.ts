/** When the first frame of an upstream is enough. */
import { expect, test } from 'vitest'
import { Trust } from './trust.ts'

const keep = (trust: Trust, times: number): void => {
  for (let time = 0; time < times; time++) trust.kept()
}

test('a hundred answers in a row earn it', () => {
  const trust = new Trust()
  keep(trust, 99)
  expect(trust.isEarned).toBe(false)
  trust.kept()
  expect(trust.isEarned).toBe(true)
})

test('one that breaks begins the row anew', () => {
  const trust = new Trust()
  keep(trust, 99)
  trust.broken()
  keep(trust, 99)
  expect(trust.isEarned).toBe(false)
  trust.kept()
  expect(trust.isEarned).toBe(true)
})

test('each time that it is lost the next takes twice as many, and a burst is one time', () => {
  const trust = new Trust()
  keep(trust, 100)
  for (let time = 0; time < 50; time++) trust.broken()
  keep(trust, 199)
  expect(trust.isEarned).toBe(false)
  trust.kept()
  expect(trust.isEarned).toBe(true)
})

test('it can always be earned again', () => {
  const trust = new Trust()
  for (let time = 0; time < 20; time++) {
    keep(trust, 12_800)
    expect(trust.isEarned).toBe(true)
    trust.broken()
  }
})
