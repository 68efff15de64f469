/** A recorded answer is played in its pieces, at its times, and no further than somebody listens. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { UpstreamSink } from '../upstream/upstream.ts'
import { playRecorded } from './replay-play.ts'
import type { RecordedAnswer } from './replay-recording.ts'

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'clearImmediate', 'performance'],
  })
})
afterEach(() => {
  vi.useRealTimers()
})

const ANSWER: RecordedAnswer = {
  status: 201,
  headers: { 'request-id': 'r' },
  bytes: Buffer.from('abcdefgh'),
  // Two bytes after a second, three after three, one at once behind it, the rest after four.
  times: [2, 1_000_000, 3, 3_000_000, 1, 3_000_000, 2, 4_000_000],
  ending: 'end',
}

function play(answer: RecordedAnswer, speed: number) {
  const log: string[] = []
  const now = (): number => performance.now()
  const askedAt = now()
  const at = (): string => `@${Math.round(now() - askedAt)}`
  const sink: UpstreamSink = {
    onHead: (status, headers) => void log.push(`${status} ${headers['request-id']} ${at()}`),
    onData: (chunk) => void log.push(`${chunk.toString()} ${at()}`),
    onEnd: () => void log.push(`end ${at()}`),
    onError: ({ kind }) => void log.push(`${kind} ${at()}`),
  }
  const over: boolean[] = []
  const onOver = (isWhole: boolean): void => void over.push(isWhole)
  const call = playRecorded(answer, sink, { speed, askedAt, now, onOver })
  return { call, log, over }
}

describe('the pieces come', () => {
  test('when they came then', async () => {
    const { log, over } = play(ANSWER, 1)
    expect(log).toEqual([])
    await vi.advanceTimersByTimeAsync(10_000)
    expect(log).toEqual([
      '201 r @1000',
      'ab @1000',
      'cde @3000',
      'f @3000',
      'gh @4000',
      'end @4000',
    ])
    expect(over).toEqual([true])
  })

  test('ten times faster', async () => {
    const { log } = play(ANSWER, 10)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(log).toEqual(['201 r @100', 'ab @100', 'cde @300', 'f @300', 'gh @400', 'end @400'])
  })

  test('at once, and still apart', async () => {
    const { log } = play(ANSWER, 0)
    await vi.advanceTimersByTimeAsync(0)
    expect(log).toEqual(['201 r @0', 'ab @0', 'cde @0', 'f @0', 'gh @0', 'end @0'])
  })

  test('as one where no times were kept, or not all', async () => {
    const { log } = play({ ...ANSWER, times: [2, 1000] }, 0)
    await vi.advanceTimersByTimeAsync(0)
    expect(log.slice(1)).toEqual(['ab @0', 'cdefgh @0', 'end @0'])
  })
})

test('an answer that broke off breaks off', async () => {
  const { log } = play({ ...ANSWER, ending: 'cut' }, 0)
  await vi.advanceTimersByTimeAsync(0)
  expect(log.at(-1)).toBe('cut @0')
})

test('a reader that is behind gets no more until it asks, and then what is due', async () => {
  const { call, log } = play(ANSWER, 1)
  await vi.advanceTimersByTimeAsync(2000)
  call.pause()
  await vi.advanceTimersByTimeAsync(3000)
  expect(log).toHaveLength(2)
  call.resume()
  await vi.advanceTimersByTimeAsync(0)
  expect(log.slice(2)).toEqual(['cde @5000', 'f @5000', 'gh @5000', 'end @5000'])
})

test('after an abort nothing is told and no timer is left', async () => {
  const { call, log, over } = play(ANSWER, 1)
  await vi.advanceTimersByTimeAsync(2000)
  call.abort()
  call.abort()
  expect(vi.getTimerCount()).toBe(0)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(log).toHaveLength(2)
  expect(over).toEqual([false])
})
