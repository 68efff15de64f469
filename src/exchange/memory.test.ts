import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { collect } from '../../test/support/heap.ts'
import { createAssembler } from '../block/assemble.ts'
import { createSessions, type Sessions } from '../session/sessions.ts'
import { WIRES } from '../wire/wires.ts'
import type { ExchangeInput } from './exchange.ts'
import { createMemory } from './memory.ts'
import type { Plan } from './plan.ts'
import { readRequest } from './request.ts'
import { Body } from './request-bytes.ts'
import type { Target } from './target.ts'
import type { Way } from './way.ts'

const RESPONSES = 'openai-responses'

/** An exchange whose answer is kept; what is left of it are places where the collector can be seen. */
function keepOne(sessions: Sessions, isTranslated: boolean): readonly WeakRef<object>[] {
  const body = new Body([Buffer.from('{"model":"m","input":"What was asked"}')])
  const read = readRequest(RESPONSES, body)
  if (!read.ok) throw new Error(read.message)
  const input = { room: { sessions }, endpoint: { wire: RESPONSES }, response: {} }
  const way = { isTranslated, encoder: {}, body: Buffer.from('What was sent') }
  const plan = { facts: read.facts, body, owner: 'ann' }
  const memory = createMemory(input as unknown as ExchangeInput, plan as unknown as Plan, {
    target: { settings: { name: 'up' } } as unknown as Target,
    way: way as unknown as Way,
    isActedOn: !isTranslated,
  })
  const { state, apply } = createAssembler()
  const encoder = WIRES[RESPONSES].createEncoder({ createId: () => 'one' })
  for (const event of [
    { type: 'message-start', id: 'resp_one', model: 'm', wire: 'openai-chat' },
    { type: 'finish', reason: 'stop' },
    { type: 'message-stop' },
  ] as const) {
    apply(event)
    encoder.push(event)
  }
  if (isTranslated) memory?.keepStream(state, encoder.terminal(), 100)
  else memory?.keepUntouched(state, 100)
  return [input, input.response, way.body, plan, read.facts].map((one) => new WeakRef(one))
}

test.each([
  ['that was written', true],
  ['that left as it came', false],
])('an answer %s and may be named later holds nothing of its exchange', async (_, isTranslated) => {
  const sessions = createSessions({ now: () => 0 })
  const places = keepOne(sessions, isTranslated)
  // What a WeakRef has shown stays until the next turn of the loop.
  await sleep(0)
  collect()
  expect(places.map((place) => place.deref())).toEqual(places.map(() => undefined))
  expect(sessions.has('ann', 'resp_one')).toBe(true)
})

test('an answer that was written is there when it is named, with what was asked', async () => {
  const sessions = createSessions({ now: () => 0 })
  keepOne(sessions, true)
  await sleep(0)
  collect()
  expect(sessions.findAnswer('ann', 'resp_one')).toMatchObject({ id: 'resp_one', model: 'm' })
  const next = { previous_response_id: 'resp_one', input: 'Go on' }
  expect(JSON.stringify(sessions.expandResponses('ann', next))).toContain('What was asked')
})
