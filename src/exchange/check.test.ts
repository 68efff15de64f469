import { expect, test } from 'vitest'
import { WIRES } from '../wire/wires.ts'
import { createCheck, createSampler } from './check.ts'

const BROKEN = Buffer.from('event: message_stop\ndata: {"type":"message_stop"}\n\n')

test('counts what breaks the grammar, and nothing where it does not look', () => {
  for (const [isChecked, violations] of [
    [true, true],
    [false, false],
  ] as const) {
    const check = createCheck(WIRES['anthropic-messages'], isChecked)
    check.push(BROKEN)
    expect(check.end() > 0).toBe(violations)
  }
})

test('a client that leaves in the middle is no break of the grammar; what was wrong before is', () => {
  const wire = WIRES['anthropic-messages']
  const { push } = wire.createEncoder()
  const begun = push({ type: 'message-start', id: 'm', model: 'x' }).map(String).join('')
  const left = createCheck(wire, true)
  left.push(Buffer.from(begun))
  expect(left.end(true)).toBe(0)
  const cut = createCheck(wire, true)
  cut.push(Buffer.from(begun))
  expect(cut.end()).toBeGreaterThan(0)
  const wrong = createCheck(wire, true)
  wrong.push(BROKEN)
  expect(wrong.end(true)).toBeGreaterThan(0)
})

test('looks at the first answers, and then at one in sixty-four', () => {
  const isChecked = createSampler()
  const looked = Array.from({ length: 656 }, () => isChecked())
  expect(looked.slice(0, 16).every(Boolean)).toBe(true)
  expect(looked.slice(16).filter(Boolean)).toHaveLength(10)
})
