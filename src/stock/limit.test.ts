import { expect, test } from 'vitest'
import { textBlock } from '../event/make.ts'
import type { StreamState } from '../block/state.ts'
import {
  callBlock,
  done,
  filterEvents,
  human,
  judge,
  requestOf,
  runPolicy,
} from '../../test/support/stock-policy.ts'
import { limit } from './limit.ts'
import { toHours, toSpan } from './limit/hours.ts'

const BASH = callBlock('Bash', { command: 'ls' })
const types = async (policy: ReturnType<typeof limit>, times: number, run = runPolicy(policy)) => {
  const verdicts: string[] = []
  for (let i = 0; i < times; i++) verdicts.push((await judge(policy, BASH, run)).type)
  return verdicts
}

test('one answer has so many calls and no more; the next one has them again', async () => {
  const policy = limit({ calls: [{ perAnswer: 2 }] })
  const memory = policy.memory?.()
  expect(await types(policy, 3, runPolicy(policy, { memory }))).toEqual(['pass', 'pass', 'deny'])
  expect(await types(policy, 1, runPolicy(policy, { memory }))).toEqual(['pass'])
})

test('a conversation has so many calls, counted by memory and by what the request shows', async () => {
  const policy = limit({ calls: [{ tools: ['Ba*'], perConversation: 3 }] })
  const memory = policy.memory?.()
  expect(await types(policy, 2, runPolicy(policy, { memory }))).toEqual(['pass', 'pass'])
  // The client compacted its history: memory knows better.
  expect(await types(policy, 2, runPolicy(policy, { memory }))).toEqual(['pass', 'deny'])
  const turns = [1, 2, 3].flatMap((i) => done('Bash', { i }, { text: '' }))
  // The gateway was restarted: the history knows better.
  const verdict = await judge(policy, BASH, runPolicy(policy, { turns }))
  expect(verdict).toMatchObject({
    type: 'deny',
    reason: 'One conversation may have 3 calls of Ba*, and this is one more',
    details: { limit: 'per-conversation' },
  })
  expect(verdict).toHaveProperty('instead')
  const fewer = runPolicy(policy, { turns: turns.slice(0, 4) })
  expect(await types(policy, 2, fewer)).toEqual(['pass', 'deny'])
  expect(await judge(policy, callBlock('Read', {}), runPolicy(policy, { turns }))).toEqual({
    type: 'pass',
  })
})

test('a call that was denied does not count', async () => {
  const policy = limit({ calls: [{ perMinute: 1 }, { perConversation: 2 }] })
  let now = 0
  const run = runPolicy(policy, { now: () => now })
  expect(await types(policy, 5, run)).toEqual(['pass', 'deny', 'deny', 'deny', 'deny'])
  now = 60_000
  expect(await types(policy, 1, run)).toEqual(['pass'])
})

test('a minute has so many calls, and it is said how long to wait', async () => {
  const policy = limit({ calls: [{ perMinute: 2 }] })
  let now = 1000
  const run = runPolicy(policy, { now: () => now })
  expect(await types(policy, 1, run)).toEqual(['pass'])
  now = 31_000
  expect(await types(policy, 1, run)).toEqual(['pass'])
  now = 41_000
  expect(await judge(policy, BASH, run)).toMatchObject({
    type: 'deny',
    instead: 'Try again in 20 s.',
  })
  now = 61_000
  expect(await types(policy, 2, run)).toEqual(['pass', 'deny'])
})

test('one call too many may be asked about, or end the answer; the strictest limit decides', async () => {
  const policy = limit({
    calls: [
      { perAnswer: 1, action: 'ask' },
      { perAnswer: 2, action: 'halt', reason: 'Enough' },
    ],
  })
  const run = runPolicy(policy)
  expect(await types(policy, 2, run)).toEqual(['pass', 'ask'])
  expect(await judge(policy, BASH, run)).toEqual({
    type: 'halt',
    reason: 'Enough',
    details: { limit: 'per-answer' },
  })
})

test('a conversation touches and changes so many files; the same again is free', async () => {
  const policy = limit({ calls: [{ filesWritten: 2, files: 3 }] })
  const run = runPolicy(policy)
  const write = async (file: string) =>
    (await judge(policy, callBlock('Write', { file_path: file, content: '' }), run)).type
  const read = async (file: string) =>
    (await judge(policy, callBlock('Read', { file_path: file }), run)).type
  expect(await write('/a')).toBe('pass')
  expect(await write('/b')).toBe('pass')
  expect(await write('/c')).toBe('deny')
  expect(await write('/a')).toBe('pass')
  expect(await read('/c')).toBe('pass')
  expect(await read('/d')).toBe('deny')
  expect(await read('/b')).toBe('pass')
})

test('a file that a person let pass is no longer asked about', async () => {
  const policy = limit({ calls: [{ files: 1, action: 'ask' }] })
  const run = runPolicy(policy)
  const read = async (file: string) =>
    (await judge(policy, callBlock('Read', { file_path: file }), run)).type
  expect([await read('/a'), await read('/b'), await read('/a'), await read('/b')]).toEqual([
    'pass',
    'ask',
    'pass',
    'pass',
  ])
})

test('an answer ends where it is too long', async () => {
  const policy = limit({ output: 10 })
  const run = runPolicy(policy)
  const events = [...textBlock('12345678'), ...textBlock('90')]
  expect(await filterEvents(policy, events, run)).toEqual(events)
  expect(run.terminated).toEqual([])
  const sent = await filterEvents(policy, textBlock('x'), run)
  expect(run.terminated).toEqual(['The answer is longer than the 10 characters that are allowed'])
  // The block that would be empty is not opened.
  expect(sent).toHaveLength(events.length)
})

test('a conversation that has used its tokens is refused', async () => {
  const policy = limit({ tokens: 100, outputTokens: 60 })
  const memory = policy.memory?.()
  const ask = async () =>
    policy.onRequest?.(requestOf([human('hi')]), runPolicy(policy, { memory }).ctx)
  const spend = async (inputTokens: number, outputTokens: number) =>
    policy.onFinish?.(
      { usage: { inputTokens, cacheReadTokens: 10, outputTokens } } as StreamState,
      runPolicy(policy, { memory }).ctx,
    )
  expect(await ask()).toBeUndefined()
  await spend(20, 40)
  expect(await ask()).toBeUndefined()
  await spend(0, 25)
  expect(await ask()).toMatchObject({
    type: 'deny',
    reason: 'This conversation has used 105 tokens, and 100 are allowed',
  })
})

test('what is not limited is not held, not read and not counted', () => {
  expect(limit({ tokens: 1 })).toMatchObject({ holds: [] })
  expect(limit({ tokens: 1 }).judge).toBeUndefined()
  expect(limit({ calls: [{ perAnswer: 1 }] }).onChunk).toBeUndefined()
})

test('hours are those of a place, and may go over midnight', () => {
  const at = (time: string): number => Date.parse(time)
  const day = toHours({ between: ['08:00-18:00'], days: ['mon', 'tue'], timezone: 'Europe/Berlin' })
  // A Monday; Berlin is an hour ahead in winter.
  expect(day.isOpen(at('2026-01-05T06:59:00Z'))).toBe(false)
  expect(day.isOpen(at('2026-01-05T07:00:00Z'))).toBe(true)
  expect(day.isOpen(at('2026-01-05T17:00:00Z'))).toBe(false)
  expect(day.isOpen(at('2026-01-07T10:00:00Z'))).toBe(false)
  const night = toHours({ between: ['22:00-06:00'], days: ['fri'] })
  expect(night.isOpen(at('2026-01-09T23:00:00Z'))).toBe(true)
  expect(night.isOpen(at('2026-01-10T05:59:00Z'))).toBe(true)
  expect(night.isOpen(at('2026-01-10T23:00:00Z'))).toBe(false)
  expect(['24:01-01:00', '8-9', '08:00-08:00', '08:60-09:00'].map(toSpan)).toEqual(
    Array(4).fill(undefined),
  )
  expect(() => toHours({ timezone: 'Mars' })).toThrow(/time zone/)
})

test('outside of its hours a tool is not called', async () => {
  const policy = limit({ calls: [{ tools: ['deploy'], hours: { between: ['09:00-17:00'] } }] })
  const call = callBlock('deploy', {})
  const run = (time: string) => runPolicy(policy, { now: () => Date.parse(time) })
  expect(await judge(policy, call, run('2026-01-05T10:00:00Z'))).toEqual({ type: 'pass' })
  expect(await judge(policy, call, run('2026-01-05T18:00:00Z'))).toMatchObject({
    type: 'deny',
    reason: 'Calls of this tool are allowed between 09:00-17:00 (UTC) only',
  })
})
