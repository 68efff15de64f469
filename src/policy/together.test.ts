import { expect, test } from 'vitest'
import {
  call,
  createBench,
  END,
  later,
  settle,
  START,
  text,
} from '../../test/support/policy-bench.ts'
import type { StreamEvent } from '../event/event.ts'
import { createTogether } from './together.ts'
import { deny, pass, type Verdict } from './verdict.ts'

test('calls leave together, and words of ours before them', async () => {
  const bench = createBench(
    [{ name: 'gate', judge: ({ id }) => (id === 'b' ? deny('No') : pass()) }],
    { leavesTogether: true },
  )
  bench.push(START, text('Hi'), call({}, 'a'), call({}, 'b'), call({}, 'c'))
  expect(bench.lines()).toEqual(['text Hi'])
  bench.push(END())
  expect(bench.lines()).toEqual([
    'text Hi',
    expect.stringContaining('not allowed'),
    'call Bash {}',
    'call Bash {}',
  ])
})

test('what nobody changed leaves in the order in which it came', async () => {
  const bench = createBench([{ name: 'gate', judge: () => pass() }], { leavesTogether: true })
  const events = [START, ...call({}, 'a'), ...text('between'), ...call({}, 'b'), ...END()]
  await bench.run(events)
  expect(bench.sent).toEqual(events)
})

test('an error lets no call out', async () => {
  const verdict = later<Verdict>()
  const bench = createBench(
    [{ name: 'gate', judge: ({ id }) => (id === 'a' ? pass() : verdict.promise) }],
    { leavesTogether: true },
  )
  const error: StreamEvent = { type: 'error', error: { kind: 'cut', message: 'Cut' } }
  await bench.run(START, call({}, 'a'), call({}, 'b'), error)
  await settle()
  expect(bench.sent).toEqual([START, error])
})

test('what may wait is limited', () => {
  const nothing = (): void => {}
  const stage = createTogether(
    {
      send: nothing,
      ended: nothing,
      pause: nothing,
      resume: nothing,
      halt: nothing,
      fail: nothing,
    },
    50_000,
  )
  expect(() => {
    for (let at = 0; at < 100; at++) for (const event of call('x'.repeat(1000))) stage.push(event)
  }).toThrow('Cannot hold more than')
})
