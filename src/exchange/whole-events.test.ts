import fc from 'fast-check'
import { expect, test } from 'vitest'
import { answerEvents } from '../../test/support/arbitrary.ts'
import { CHAT, MESSAGES, RESPONSES } from '../../test/support/json-answers.ts'
import type { JsonObject } from '../base/json.ts'
import type { WireName } from '../event/event.ts'
import { WIRE_NAMES, WIRES } from '../wire/wires.ts'
import { collect, readFacts } from './whole-events.ts'

/** The same as who reads all of it. */
function expectSame(name: WireName, json: JsonObject): void {
  const wire = WIRES[name]
  const all = collect(wire.readAnswer(json))
  const { id, model, usage, finishReason } = readFacts(wire, json)
  expect({ id, model, usage, finishReason }).toEqual({
    id: all.id,
    model: all.model,
    usage: all.usage,
    finishReason: all.finishReason,
  })
}

test('what an answer says of itself is known without what it says', () => {
  for (const json of Object.values(MESSAGES)) expectSame('anthropic-messages', json)
  for (const json of Object.values(CHAT)) expectSame('openai-chat', json)
  for (const json of Object.values(RESPONSES)) expectSame('openai-responses', json)
})

test('the same holds for any answer', () => {
  fc.assert(
    fc.property(fc.constantFrom(...WIRE_NAMES), answerEvents, (name, events) => {
      const { body } = WIRES[name].writeAnswer(collect(events))
      expectSame(name, body)
    }),
  )
})
