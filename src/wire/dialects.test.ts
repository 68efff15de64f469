import { describe, expect, test } from 'vitest'
import { isObject, toText } from '../base/json.ts'
import type { StreamFault } from '../event/fault.ts'
import { WIRES } from './wires.ts'

const ANTHROPIC = WIRES['anthropic-messages']
const CHAT = WIRES['openai-chat']
const RESPONSES = WIRES['openai-responses']

const errorOf = (body: Readonly<Record<string, unknown>>) =>
  isObject(body['error']) ? body['error'] : {}

const overflow = (message: string, limits: StreamFault['limits'] = {}): StreamFault => ({
  kind: 'context-too-long',
  message,
  limits,
})

describe('towards Claude Code', () => {
  const say = (fault: StreamFault) => toText(errorOf(ANTHROPIC.writeError(fault))['message'])

  test('a prompt over the limit is said with its numbers, so that it compacts', () => {
    expect(say(overflow('whatever', { prompt: 213462, max: 200000 }))).toBe(
      'prompt is too long: 213462 tokens > 200000 maximum',
    )
  })

  test('a prompt that leaves too little room is said so that it lowers max_tokens', () => {
    expect(say(overflow('whatever', { prompt: 188240, output: 21333, max: 200000 }))).toBe(
      'input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens` and try again',
    )
  })

  test('without numbers the prefix is there, once', () => {
    expect(say(overflow('Context size has been exceeded.'))).toBe(
      'prompt is too long: Context size has been exceeded.',
    )
    expect(say(overflow('Sorry: prompt is too long'))).toBe('Sorry: prompt is too long')
  })

  test('numbers that do not show an overflow are not said', () => {
    expect(say(overflow('Too large', { prompt: 10, max: 20 }))).toBe(
      'prompt is too long: Too large',
    )
  })

  test('what an OpenAI upstream says of it comes out in these words', () => {
    const fault = CHAT.readError({
      error: {
        message:
          "This model's maximum context length is 131072 tokens. However, you requested 32000 output tokens and your prompt contains at least 99073 input tokens, for a total of at least 131073 tokens.",
        type: 'BadRequestError',
        code: 400,
      },
    })
    expect(say(fault)).toBe(
      'input length and `max_tokens` exceed context limit: 99073 + 32000 > 131072, decrease input length or `max_tokens` and try again',
    )
  })
})

describe('towards opencode on Messages', () => {
  const say = (fault: StreamFault) => toText(errorOf(ANTHROPIC.writeError(fault))['message'])

  test.each<[StreamFault['kind'], string]>([
    ['internal', 'Internal server error: It broke'],
    ['bad-stream', 'Internal server error: It broke'],
    ['cut', 'Connection error: It broke'],
    ['timeout', 'Request timed out: It broke'],
    ['invalid-request', 'It broke'],
  ])('%s is said so that it tries again only where that may help', (kind, message) => {
    expect(say({ kind, message: 'It broke' })).toBe(message)
  })

  test('words that it knows stay as they are', () => {
    expect(say({ kind: 'internal', message: 'The server_error was ours' })).toBe(
      'The server_error was ours',
    )
    expect(say({ kind: 'cut', message: 'Connection error: It broke' })).toBe(
      'Connection error: It broke',
    )
  })
})

describe('towards clients of OpenAI', () => {
  const say = (fault: StreamFault) => errorOf(CHAT.writeError(fault))

  test('an overflow has the code and the sentence of OpenAI', () => {
    const fault = ANTHROPIC.readError({
      error: { type: 'invalid_request_error', message: 'prompt is too long: 9 tokens > 5 maximum' },
    })
    for (const wire of [CHAT, RESPONSES])
      expect(errorOf(wire.writeError(fault))).toMatchObject({
        type: 'invalid_request_error',
        code: 'context_length_exceeded',
        message:
          "This model's maximum context length is 5 tokens. However, your messages resulted in 9 tokens. Please reduce the length of the messages.",
      })
  })

  test('an overflow by the output has both numbers', () => {
    expect(say(overflow('x', { prompt: 6, output: 3, max: 8 }))['message']).toBe(
      "This model's maximum context length is 8 tokens. However, you requested 9 tokens (6 in the messages, 3 in the completion). Please reduce the length of the messages or completion.",
    )
  })

  test('an overflow without numbers says so first, then what the upstream said', () => {
    expect(say(overflow('Prompt exceeds max length'))['message']).toMatch(
      /^Your input exceeds the context window of this model\. .*Prompt exceeds max length$/,
    )
  })

  test('a sentence of OpenAI stays as it is', () => {
    const message = 'Your input exceeds the context window of this model. Please adjust it.'
    expect(say(overflow(message))['message']).toBe(message)
  })

  test('a rate says how long to wait, in the words that Codex reads, once', () => {
    const fault: StreamFault = { kind: 'rate-limit', message: 'Slow down', retryAfterMs: 1500 }
    expect(say(fault)['message']).toBe('Slow down. Please try again in 2s.')
    const said = { ...fault, message: 'Please try again in 1.5s' }
    expect(say(said)['message']).toBe('Please try again in 1.5s')
    expect(say({ kind: 'rate-limit', message: 'Slow down' })['message']).toBe('Slow down')
  })
})

describe('in a stream of Responses', () => {
  const failed = (error: StreamFault): string => {
    const encoder = RESPONSES.createEncoder({ now: () => 1, createId: () => 'x' })
    const start = {
      type: 'message-start',
      id: 'm',
      model: 'm',
      wire: 'anthropic-messages',
    } as const
    return [...encoder.push(start), ...encoder.push({ type: 'error', error }), ...encoder.end()]
      .map((written) => (typeof written === 'string' ? written : ''))
      .join('')
  }

  test.each<[StreamFault['kind'], string]>([
    ['context-too-long', 'context_length_exceeded'],
    ['too-large', 'context_length_exceeded'],
    ['billing', 'insufficient_quota'],
    // Codex gives up at `server_is_overloaded`, and tries again at this one.
    ['overloaded', 'server_error'],
    ['rate-limit', 'rate_limit_exceeded'],
    ['content-policy', 'invalid_prompt'],
  ])('%s fails with the code %s', (kind, code) => {
    const text = failed({ kind, message: 'x' })
    expect(text).toContain('event: response.failed')
    expect(text).toContain(`"error":{"code":"${code}","message":`)
  })
})
