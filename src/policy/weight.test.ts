import { expect, test, vi } from 'vitest'
import { call, createBench, later, text } from '../../test/support/policy-bench.ts'
import type { StreamEvent } from '../event/event.ts'
import { createGate } from './gate.ts'
import { install } from './installed.ts'
import type { Policy } from './policy.ts'
import { pass, type Verdict } from './verdict.ts'

const gate = (judge: NonNullable<Policy['judge']>): Policy => ({ name: 'gate', judge })

test('what may wait is limited, what stands behind a call included', () => {
  for (const filler of [text('x'.repeat(1000)), call('x'.repeat(1000), 'b')]) {
    const { host, contexts } = createBench([])
    const installed = install(gate(() => later<Verdict>().promise))
    const sent: StreamEvent[] = []
    const nothing = (): void => {}
    const one = createGate(
      { installed, host, context: contexts(installed), maxBytes: 100_000 },
      {
        send: (event) => void sent.push(event),
        ended: nothing,
        pause: nothing,
        resume: nothing,
        halt: nothing,
        fail: nothing,
      },
    )
    for (const event of call()) one.push(event)
    expect(() => {
      for (let at = 0; at < 100; at++) for (const event of filler) one.push({ ...event })
    }).toThrow('Cannot hold more than 0 MB of an answer for policy "gate"')
    expect(sent).toEqual([])
  }
})

test('what has left does not count: an answer of any length passes a gate that decides', async () => {
  const { host, contexts } = createBench([])
  const installed = install(gate(() => pass()))
  const send = vi.fn<(event: StreamEvent) => void>()
  const nothing = (): void => {}
  const one = createGate(
    { installed, host, context: contexts(installed), maxBytes: 10_000 },
    { send, ended: nothing, pause: nothing, resume: nothing, halt: nothing, fail: nothing },
  )
  for (let at = 0; at < 1000; at++) for (const event of call({}, `c${at}`)) one.push(event)
  expect(send).toHaveBeenCalledTimes(3000)
})
