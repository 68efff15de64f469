import { expect, test } from 'vitest'
import { createBreaker } from './breaker.ts'

function start(failures: number, cooldown = 1000) {
  const clock = { now: 5000 }
  return { clock, breaker: createBreaker({ failures, cooldown }, () => clock.now) }
}

test('opens after so many failures in a row, and only then', () => {
  const { breaker } = start(3)
  for (const did of ['failed', 'failed', 'succeeded', 'failed', 'failed'] as const) breaker[did]()
  expect([breaker.state, breaker.tryPass()]).toEqual(['closed', true])
  breaker.failed()
  expect([breaker.state, breaker.tryPass(), breaker.waitMs]).toEqual(['open', false, 1000])
})

test('lets one probe through after the pause, and closes when it succeeds', () => {
  const { breaker, clock } = start(1)
  breaker.failed()
  clock.now += 999
  expect(breaker.tryPass()).toBe(false)
  clock.now += 1
  expect([breaker.state, breaker.tryPass(), breaker.tryPass()]).toEqual(['half-open', true, false])
  breaker.succeeded()
  expect([breaker.state, breaker.tryPass(), breaker.tryPass()]).toEqual(['closed', true, true])
})

test('opens again at once when the probe fails', () => {
  const { breaker, clock } = start(3)
  for (let i = 0; i < 3; i++) breaker.failed()
  clock.now += 1000
  expect(breaker.tryPass()).toBe(true)
  breaker.failed()
  expect([breaker.state, breaker.waitMs]).toEqual(['open', 1000])
})

test('sends another probe when the first was given up', () => {
  const { breaker, clock } = start(1)
  breaker.failed()
  clock.now += 1000
  expect(breaker.tryPass()).toBe(true)
  breaker.released()
  expect([breaker.state, breaker.tryPass()]).toEqual(['half-open', true])
})

test('never opens when it is switched off', () => {
  const { breaker } = start(0)
  for (let i = 0; i < 100; i++) breaker.failed()
  expect([breaker.state, breaker.tryPass()]).toEqual(['closed', true])
})

test('says since when it is as it is', () => {
  const { breaker, clock } = start(2)
  breaker.failed()
  expect(breaker.since).toBeUndefined()
  breaker.failed()
  clock.now += 300
  // One that was under way when it opened.
  breaker.failed()
  expect([breaker.state, breaker.since]).toEqual(['open', 5000])
  clock.now += 1500
  expect([breaker.state, breaker.since]).toEqual(['half-open', 6300])
  breaker.tryPass()
  breaker.failed()
  expect([breaker.state, breaker.since]).toEqual(['open', 6800])
  breaker.succeeded()
  clock.now += 5
  expect([breaker.state, breaker.since]).toEqual(['closed', 6800])
})
