import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Place } from '../base/bag.ts'
import { createTicker, type Timed } from './ticker.ts'

const timers = (): number =>
  process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length

test('asks everyone some times a second, and has no timer while nobody waits', async () => {
  const before = timers()
  const ticker = createTicker()
  expect(timers()).toBe(before)
  const seen: string[] = []
  const a = ticker.watch({ look: () => void seen.push('a') })
  const b = ticker.watch({ look: () => void seen.push('b') })
  await sleep(250)
  expect(seen).toEqual(['a', 'b', 'a', 'b'])
  ticker.unwatch(a)
  ticker.unwatch(b)
  ticker.unwatch(b)
  // Those of the test run itself may be over meanwhile.
  expect(timers()).toBeLessThanOrEqual(before)
})

test('goes on when one that is asked lets go of itself and of others', async () => {
  const ticker = createTicker()
  let count = 0
  const first: Place<Timed>[] = []
  first.push(ticker.watch({ look: () => first.forEach((one) => ticker.unwatch(one)) }))
  first.push(ticker.watch({ look: () => void (count += 1) }))
  const last = ticker.watch({ look: () => void (count += 10) })
  while (count < 20) await sleep(20)
  ticker.unwatch(last)
  expect(count).toBe(20)
})
