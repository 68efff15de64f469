import { expect, test } from 'vitest'
import { isPassing, toKind, toStatus } from './fault-status.ts'

test('the vendors have numbers of their own', () => {
  expect(toStatus('overloaded', 'anthropic-messages')).toBe(529)
  expect(toStatus('overloaded', 'openai-chat')).toBe(503)
  expect(toStatus('billing', 'anthropic-messages')).toBe(402)
  expect(toStatus('billing', 'openai-responses')).toBe(429)
})

test.each([
  [400, 'invalid-request'],
  [401, 'authentication'],
  [402, 'billing'],
  [404, 'not-found'],
  [418, 'invalid-request'],
  [429, 'rate-limit'],
  [500, 'internal'],
  [502, 'bad-stream'],
  [503, 'overloaded'],
  [504, 'timeout'],
  [529, 'overloaded'],
  [599, 'internal'],
])('%i is %s', (status, kind) => {
  expect(toKind(status)).toBe(kind)
})

test('what is wrong with a request does not pass', () => {
  expect(isPassing('invalid-request')).toBe(false)
  expect(isPassing('authentication')).toBe(false)
  expect(isPassing('billing')).toBe(false)
  expect(isPassing('overloaded')).toBe(true)
  expect(isPassing('cut')).toBe(true)
})
