import { expect, test } from 'vitest'
import type { JsonObject } from '../base/json.ts'
import type { StreamEvent, WireName } from '../event/event.ts'
import { toAnswerId } from './ids.ts'
import { WIRES } from './wires.ts'

const options = { prefix: 'msg_', wire: 'anthropic-messages', createId: () => 'new' } as const

test('an answer of another wire gets an id of its own, whatever it was called there', () => {
  expect(toAnswerId({ id: 'chatcmpl-7', wire: 'openai-chat' }, options)).toBe('msg_new')
})

test('an answer keeps its id on its own wire, and one that somebody made the id that it was given', () => {
  expect(toAnswerId({ id: 'msg_7', wire: 'anthropic-messages' }, options)).toBe('msg_7')
  expect(toAnswerId({ id: 'resp_a b' }, options)).toBe('msg_a_b')
  expect(toAnswerId({ id: '' }, options)).toBe('msg_new')
  expect(toAnswerId(undefined, options)).toBe('msg_new')
})

const NAMELESS: Readonly<Record<WireName, JsonObject>> = {
  'anthropic-messages': {
    type: 'message',
    content: [
      { type: 'tool_use', name: 'run', input: {} },
      { type: 'tool_use', name: 'run', input: {} },
    ],
    stop_reason: 'tool_use',
  },
  'openai-chat': {
    choices: [
      {
        index: 0,
        message: { tool_calls: [{ function: { name: 'a' } }, { function: { name: 'b' } }] },
        finish_reason: 'tool_calls',
      },
    ],
  },
  'openai-responses': {
    status: 'completed',
    output: [
      { type: 'function_call', name: 'run', arguments: '{}' },
      { type: 'function_call', name: 'run', arguments: '{}' },
    ],
  },
}

const idsOf = (events: readonly StreamEvent[]): string[] =>
  events.flatMap((event) => (event.type === 'block-start' ? [event.block.id] : []))

test.each(Object.keys(NAMELESS) as WireName[])('calls of %s without ids get some', (wire) => {
  let count = 0
  const made = WIRES[wire].readAnswer(NAMELESS[wire], { createId: () => `x${count++}` })
  expect(idsOf(made)).toEqual(['call_x0', 'call_x1'])
  // Without anything random the same answer has the same ids.
  const [first, second] = [0, 1].map(() => idsOf(WIRES[wire].readAnswer(NAMELESS[wire])))
  expect(first).toEqual(second)
  expect(new Set(first).size).toBe(2)
})
