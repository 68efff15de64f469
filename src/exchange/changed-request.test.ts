import { expect, test } from 'vitest'
import type { JsonObject } from '../base/json.ts'
import type { ModelRequest } from '../request/request.ts'
import { WIRES } from '../wire/wires.ts'
import { writeChanged } from './changed-request.ts'

test('a text that stands in no object of the client is exchanged too', () => {
  const wire = WIRES['openai-responses']
  const body: JsonObject = { model: 'm', input: 'Use X', instructions: 'Be X' }
  const read = wire.readRequest(body)
  if (!read.ok) throw new Error('Not read')
  const after: ModelRequest = {
    ...read.request,
    system: [{ type: 'text', text: 'Be Y' }],
    turns: read.request.turns.map((turn) => ({
      ...turn,
      parts: [{ type: 'text', text: 'Use Y' }],
    })),
  }
  expect(writeChanged(wire, read.request, after)).toEqual({
    model: 'm',
    input: 'Use Y',
    instructions: 'Be Y',
  })
})
