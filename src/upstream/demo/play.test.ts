import { describe, expect, test } from 'vitest'
import type { UpstreamSink } from '../upstream.ts'
import { play, scheduleOnTimers, type Reply, type Schedule } from './play.ts'

const REPLY: Reply = {
  status: 200,
  headers: { 'content-type': 'text/plain' },
  chunks: ['a', 'b', 'c'],
  first: 50,
  pace: 10,
  ending: 'end',
}

/** A clock that a test turns by hand. */
function createClock(): { schedule: Schedule; pass(ms: number): void; readonly waiting: number } {
  let now = 0
  let timers: { at: number; run: () => void }[] = []
  return {
    schedule(ms, run) {
      const timer = { at: now + ms, run }
      timers.push(timer)
      return () => {
        timers = timers.filter((one) => one !== timer)
      }
    },
    pass(ms) {
      const until = now + ms
      for (;;) {
        const next = timers.filter(({ at }) => at <= until).toSorted((a, b) => a.at - b.at)[0]
        if (next === undefined) break
        timers = timers.filter((one) => one !== next)
        now = next.at
        next.run()
      }
      now = until
    },
    get waiting() {
      return timers.length
    },
  }
}

function createLog(on: (entry: string) => void = () => {}): { log: string[]; sink: UpstreamSink } {
  const log: string[] = []
  const add = (entry: string): void => {
    log.push(entry)
    on(entry)
  }
  return {
    log,
    sink: {
      onHead: (status) => add(`head ${status}`),
      onData: (chunk) => add(chunk.toString()),
      onEnd: () => add('end'),
      onError: ({ kind }) => add(`error ${kind}`),
    },
  }
}

const nothing = (): void => {}

describe('a reply that is played', () => {
  test('comes at its pace: head, chunks, end', () => {
    const clock = createClock()
    const { log, sink } = createLog()
    let overs = 0
    play(REPLY, sink, { schedule: clock.schedule, onOver: () => (overs += 1) })
    clock.pass(49)
    expect(log).toEqual([])
    clock.pass(1)
    expect(log).toEqual(['head 200', 'a'])
    clock.pass(9)
    expect(log).toEqual(['head 200', 'a'])
    clock.pass(11)
    expect(log).toEqual(['head 200', 'a', 'b', 'c', 'end'])
    expect(overs).toBe(1)
    expect(clock.waiting).toBe(0)
  })

  test('ends with an error where the connection is cut', () => {
    const clock = createClock()
    const { log, sink } = createLog()
    play({ ...REPLY, ending: 'cut' }, sink, { schedule: clock.schedule, onOver: nothing })
    clock.pass(1000)
    expect(log).toEqual(['head 200', 'a', 'b', 'c', 'error cut'])
  })

  test('stands still while it is paused, and makes no further chunk', () => {
    const clock = createClock()
    const { log, sink } = createLog()
    let made = 0
    function* chunks(): Generator<string> {
      for (const chunk of ['a', 'b', 'c']) {
        made += 1
        yield chunk
      }
    }
    const call = play({ ...REPLY, chunks: chunks() }, sink, {
      schedule: clock.schedule,
      onOver: nothing,
    })
    call.pause()
    clock.pass(1000)
    expect(log).toEqual(['head 200'])
    expect(made).toBe(0)
    call.resume()
    call.resume()
    call.pause()
    clock.pass(1000)
    expect(log).toEqual(['head 200'])
    call.resume()
    clock.pass(0)
    expect(log).toEqual(['head 200', 'a'])
    call.pause()
    clock.pass(1000)
    call.resume()
    clock.pass(1000)
    expect(log).toEqual(['head 200', 'a', 'b', 'c', 'end'])
    call.pause()
    call.resume()
    call.abort()
    expect(clock.waiting).toBe(0)
  })

  test('resuming twice is resuming once', () => {
    const clock = createClock()
    const { log, sink } = createLog()
    const call = play(REPLY, sink, { schedule: clock.schedule, onOver: nothing })
    call.pause()
    clock.pass(1000)
    call.resume()
    call.resume()
    clock.pass(0)
    expect(log).toEqual(['head 200', 'a'])
    expect(clock.waiting).toBe(1)
  })

  test('pausing inside a call holds the next one, the end too', () => {
    const clock = createClock()
    const { log, sink } = createLog((entry) => {
      if (entry === 'c') call.pause()
    })
    const call = play(REPLY, sink, { schedule: clock.schedule, onOver: nothing })
    clock.pass(1000)
    expect(log).toEqual(['head 200', 'a', 'b', 'c'])
    call.resume()
    clock.pass(0)
    expect(log.at(-1)).toBe('end')
  })

  test.each(['head 200', 'a', 'b', 'c'])('aborting inside "%s" ends it there', (last) => {
    const clock = createClock()
    let overs = 0
    const { log, sink } = createLog((entry) => {
      if (entry === last) call.abort()
    })
    const call = play(REPLY, sink, { schedule: clock.schedule, onOver: () => (overs += 1) })
    clock.pass(1000)
    expect(log.at(-1)).toBe(last)
    expect(clock.waiting).toBe(0)
    expect(overs).toBe(1)
    call.resume()
    call.abort()
    expect(clock.waiting).toBe(0)
    expect(overs).toBe(1)
  })

  test('aborting before the head or while paused leaves nothing', () => {
    for (const ms of [0, 50, 60]) {
      const clock = createClock()
      const { log, sink } = createLog()
      const call = play(REPLY, sink, { schedule: clock.schedule, onOver: nothing })
      call.pause()
      clock.pass(ms)
      const before = [...log]
      call.abort()
      call.resume()
      clock.pass(1000)
      expect(log).toEqual(before)
      expect(clock.waiting).toBe(0)
    }
  })

  test('without a pace it still takes a turn of the event loop for each chunk', async () => {
    const turns: number[] = []
    let turn = 0
    let isOver = false
    const { log, sink } = createLog(() => turns.push(turn))
    play({ ...REPLY, first: 0, pace: 0 }, sink, {
      schedule: scheduleOnTimers,
      onOver: () => (isOver = true),
    })
    expect(log).toEqual([])
    while (!isOver) {
      await new Promise((resolve) => setImmediate(resolve))
      turn += 1
    }
    expect(log).toEqual(['head 200', 'a', 'b', 'c', 'end'])
    expect(new Set(turns).size).toBe(5)
  })

  test('on real timers an abort calls off what waits', async () => {
    const { log, sink } = createLog()
    for (const first of [0, 5]) {
      const options = { schedule: scheduleOnTimers, onOver: nothing }
      play({ ...REPLY, first }, sink, options).abort()
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(log).toEqual([])
  })
})
