import { expect, test, vi } from 'vitest'
import { call, createBench, Frame, later, text } from '../../test/support/policy-bench.ts'
import type { StreamEvent } from '../event/event.ts'
import { weightOf } from './weight.ts'
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
      { installed, host, context: contexts.of(installed), maxBytes: 100_000 },
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
    { installed, host, context: contexts.of(installed), maxBytes: 10_000 },
    { send, ended: nothing, pause: nothing, resume: nothing, halt: nothing, fail: nothing },
  )
  for (let at = 0; at < 1000; at++) for (const event of call({}, `c${at}`)) one.push(event)
  expect(send).toHaveBeenCalledTimes(3000)
})

test('a frame that stands for many weighs as much as they do', () => {
  const data = '{"text":"ab"}'
  const one = new Frame(undefined, data, new Uint8Array(20), 0, 20, undefined)
  const many = new Frame(undefined, data, new Uint8Array(20_000), 0, 20_000, { frames: 1000 })
  const of = (frame: Frame): number => {
    const event: StreamEvent = {
      type: 'ping',
      step: { wire: 'openai-chat', number: 0, frame, events: [], late: new Set() },
    }
    return weightOf(event)
  }
  expect(of(one)).toBeLessThan(1000)
  expect(of(many)).toBeGreaterThan(20_000)
})
