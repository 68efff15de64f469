import { expect, test } from 'vitest'
import type { StreamEvent } from '../event/event.ts'
import type { Usage } from '../event/usage.ts'
import { createStartEstimate } from './estimate-start.ts'

const start = (usage?: Usage): StreamEvent => ({
  type: 'message-start',
  id: 'm',
  model: 'x',
  vendor: { own: true },
  ...(usage === undefined ? {} : { usage }),
})
const stage = createStartEstimate(() => 42)

test.each([undefined, {}, { inputTokens: 0, outputTokens: 1 }])(
  'pain 8: a start without the size of its input gets it: %j',
  (usage) => {
    const step = {} as NonNullable<StreamEvent['step']>
    const event: StreamEvent = { ...start(usage), step }
    expect(stage.push(event)).toEqual([{ ...start({ ...usage, inputTokens: 42 }) }])
  },
)

test.each<Usage>([{ inputTokens: 3 }, { inputTokens: 0, cacheReadTokens: 900 }])(
  'what the upstream said stays: %j',
  (usage) => {
    const event = start(usage)
    expect(stage.push(event)[0]).toBe(event)
  },
)

test('nothing else is touched', () => {
  const event: StreamEvent = { type: 'usage', usage: {} }
  expect(stage.push(event)[0]).toBe(event)
  expect(stage.end()).toEqual([])
})
