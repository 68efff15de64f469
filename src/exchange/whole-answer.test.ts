import { describe, expect, test } from 'vitest'
import { WIRES } from '../wire/wires.ts'
import { toWhole } from './whole-answer.ts'

const whole = (status: number, json: unknown) =>
  toWhole(WIRES['openai-chat'], 'gemini', {
    status,
    headers: { 'content-type': 'application/json' },
    isEventStream: false,
    body: Buffer.from(JSON.stringify(json)),
  })

describe('an error in a list, as Gemini tells it', () => {
  const error = { code: 429, message: 'Quota is used up', status: 'RESOURCE_EXHAUSTED' }

  test('is read, and told in the words of the wire, since no client reads a list', () => {
    expect(whole(429, [{ error }])).toMatchObject({
      type: 'failed',
      fault: { kind: 'rate-limit', message: 'Quota is used up' },
      status: 429,
      body: undefined,
      isRetryable: true,
    })
  })

  test('is an error whatever the status says', () => {
    expect(
      whole(200, [{ error: { ...error, status: 'INVALID_ARGUMENT', code: 400 } }]),
    ).toMatchObject({
      type: 'failed',
      fault: { kind: 'invalid-request' },
      status: 400,
    })
  })

  test('is none where the list holds something else', () => {
    for (const json of [[], [1], [{ id: 'x' }], [{ error: null }]])
      expect(whole(200, json)).toMatchObject({
        type: 'failed',
        fault: { kind: 'bad-stream', message: expect.stringMatching(/which is no JSON object$/) },
        status: 502,
      })
  })
})
