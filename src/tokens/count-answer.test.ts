import { expect, test } from 'vitest'
import { readCount, writeCount } from './count-answer.ts'

test('each endpoint answers as its vendor does', () => {
  expect(writeCount('anthropic-messages', 12)).toEqual({ input_tokens: 12 })
  expect(writeCount('openai-responses', 12)).toEqual({
    object: 'response.input_tokens',
    input_tokens: 12,
  })
})

test('what one wire writes is read for the other', () => {
  for (const wire of ['anthropic-messages', 'openai-chat', 'openai-responses'] as const)
    expect(readCount(writeCount(wire, 728))).toBe(728)
})

test('an answer without a count is none', () => {
  for (const body of [{}, { input_tokens: '12' }, { input_tokens: -1 }, { error: {} }])
    expect(readCount(body)).toBeUndefined()
})
