import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createTicker } from './ticker.ts'

const timers = (): number =>
  process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length

test('asks everyone some times a second, and has no timer while nobody waits', async () => {
  const before = timers()
  const ticker = createTicker()
  expect(timers()).toBe(before)
  const seen: string[] = []
  const offA = ticker.watch(() => seen.push('a'))
  const offB = ticker.watch(() => seen.push('b'))
  await sleep(250)
  expect(seen).toEqual(['a', 'b', 'a', 'b'])
  offA()
  offB()
  offB()
  // Those of the test run itself may be over meanwhile.
  expect(timers()).toBeLessThanOrEqual(before)
})

test('goes on when one that is asked lets go of itself and of others', async () => {
  const ticker = createTicker()
  let count = 0
  const off: (() => void)[] = []
  off.push(ticker.watch(() => off.forEach((one) => one())))
  off.push(ticker.watch(() => (count += 1)))
  const last = ticker.watch(() => (count += 10))
  while (count < 20) await sleep(20)
  last()
  expect(count).toBe(20)
})
