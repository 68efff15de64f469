import { expect, test } from 'vitest'
import { createHeartbeat } from './heartbeat.ts'
import type { Timed } from './ticker.ts'

const LIMITS = { connect: 1000, firstByte: 1000, idle: 200_000, total: 3_600_000 }

/** A heartbeat with a clock that a test sets, and what it said at what time. */
function start(limits = LIMITS) {
  let now = 0
  let timed: Timed | undefined
  const said: string[] = []
  const ticker = {
    now: () => now,
    watch(given: Timed) {
      timed = given
      return { item: given, at: 0 }
    },
    unwatch: () => void (timed = undefined),
  }
  const say = (what: string): void => void said.push(`${now / 1000} ${what}`)
  const beat = createHeartbeat(
    { ticker, startedAt: 0, limits, keepaliveMs: 10_000, name: 'up' },
    {
      keepalive: (asEvent) => say(asEvent ? 'event' : 'sign'),
      expired: ({ message }) => {
        say(message)
        beat.stop()
      },
      stalled: () => say('stalled'),
    },
  )
  const until = (seconds: number): void => {
    while (now < seconds * 1000) {
      now += 1000
      timed?.look(now)
    }
  }
  return { beat, said, until, isWatching: () => timed !== undefined }
}

test('says something every ten seconds of silence, and an event once a minute', () => {
  const { said, until } = start()
  until(125)
  expect(said).toEqual([
    '10 sign',
    '20 sign',
    '30 sign',
    '40 sign',
    '50 sign',
    '60 event',
    '70 sign',
    '80 sign',
    '90 sign',
    '100 sign',
    '110 sign',
    '120 event',
  ])
})

test('counts anew from what passed', () => {
  const { beat, said, until } = start()
  until(55)
  beat.passed()
  until(119)
  expect(said.slice(5)).toEqual([
    '66 sign',
    '76 sign',
    '86 sign',
    '96 sign',
    '106 sign',
    '116 event',
  ])
})

test('what comes and is held back does not count as said', () => {
  const { beat, said, until } = start()
  until(5)
  beat.came()
  until(10)
  expect(said).toEqual(['10 sign'])
})

test('falls silent itself when the upstream was silent for too long', () => {
  const { said, until, isWatching } = start({ ...LIMITS, idle: 25_000 })
  until(60)
  expect(said).toEqual(['10 sign', '20 sign', '26 Upstream "up" was silent for 25 s'])
  expect(isWatching()).toBe(false)
})

test('ends what takes too long in all, whatever comes', () => {
  const { beat, said, until } = start({ ...LIMITS, total: 15_000 })
  until(9)
  beat.passed()
  until(16)
  expect(said).toEqual(['16 Upstream "up" did not finish within 15 s'])
})

test('says nothing to a client that does not read, and gives it up in the end', () => {
  const { beat, said, until } = start({ ...LIMITS, idle: 25_000 })
  beat.paused()
  until(25)
  expect(said).toEqual([])
  until(26)
  expect(said).toEqual(['26 stalled'])
})

test('does not hold against the upstream that the client did not read', () => {
  const { beat, said, until } = start({ ...LIMITS, idle: 25_000 })
  beat.paused()
  until(20)
  beat.resumed()
  until(45)
  expect(said.filter((line) => !line.endsWith('sign'))).toEqual([])
  until(46)
  expect(said.at(-1)).toBe('46 Upstream "up" was silent for 25 s')
})
