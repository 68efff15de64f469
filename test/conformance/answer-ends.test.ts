/**
 * How JSON answers end on another wire, the ids that they carry there, and errors in all nine
 * directions.
 */
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/base/json.ts'
import type { WireName } from '../../src/event/event.ts'
import type { FaultKind } from '../../src/event/fault.ts'
import { WIRE_NAMES, WIRES } from '../../src/wire/wires.ts'
import { CHAT, MESSAGES, RESPONSES } from '../support/json-answers.ts'
import { assemble } from '../support/pipeline.ts'

function write(
  from: WireName,
  to: WireName,
  body: JsonObject,
): { body: JsonObject; losses: string[] } {
  const { body: written, losses } = WIRES[to].writeAnswer(assemble(WIRES[from].readAnswer(body)))
  return { body: written, losses: losses.map(({ kind, what }) => `${kind} ${what}`) }
}

/** The end of an answer in a line, as its wire says it. */
function endOf(wire: WireName, body: JsonObject): string {
  switch (wire) {
    case 'anthropic-messages': {
      const details = body['stop_details'] as JsonObject | null
      return [body['stop_reason'], ...(details === null ? [] : [details['explanation']])].join(' ')
    }
    case 'openai-chat':
      return String((body['choices'] as JsonObject[])[0]?.['finish_reason'])
    case 'openai-responses': {
      const details = body['incomplete_details'] as JsonObject | null
      return [body['status'], ...(details === null ? [] : [details['reason']])].join(' ')
    }
  }
}

describe('an end', () => {
  test.each([
    ['end_turn', MESSAGES.plain, 'stop', 'completed'],
    ['end_turn without content', MESSAGES.empty, 'stop', 'completed'],
    ['tool_use', MESSAGES.rich, 'tool_calls', 'completed'],
    ['max_tokens', MESSAGES.full, 'length', 'incomplete max_output_tokens'],
    ['refusal', MESSAGES.refused, 'content_filter', 'incomplete content_filter'],
    ['stop_sequence', MESSAGES.stopped, 'stop', 'completed'],
    ['pause_turn', MESSAGES.paused, 'length', 'incomplete max_output_tokens'],
    ['a word of tomorrow', MESSAGES.unheardOf, 'stop', 'completed'],
  ] as const)('that Anthropic calls %s', (_, body, chat, responses) => {
    expect(endOf('openai-chat', write('anthropic-messages', 'openai-chat', body).body)).toBe(chat)
    expect(
      endOf('openai-responses', write('anthropic-messages', 'openai-responses', body).body),
    ).toBe(responses)
  })

  test.each([
    ['a stop sequence', MESSAGES.stopped, 'dropped stop-sequence'],
    ['a pause', MESSAGES.paused, 'approximated finish pause_turn'],
    ['a word of tomorrow', MESSAGES.unheardOf, 'approximated finish sunset'],
  ] as const)('that has no word on the OpenAI wires is a loss: %s', (_, body, loss) => {
    for (const to of ['openai-chat', 'openai-responses'] as const)
      expect(write('anthropic-messages', to, body).losses).toEqual([loss])
  })

  test.each([
    ['stop', CHAT.plain, 'end_turn', 'completed'],
    ['tool_calls', CHAT.rich, 'tool_use', 'completed'],
    ['tool_calls, with a call without arguments', CHAT.emptyCall, 'tool_use', 'completed'],
    ['length', CHAT.cut, 'max_tokens', 'incomplete max_output_tokens'],
    ['content_filter', CHAT.filtered, 'refusal ', 'incomplete content_filter'],
    ['stop, with a refusal', CHAT.refused, 'refusal I cannot do that.', 'completed'],
  ] as const)('that Chat calls %s', (_, body, messages, responses) => {
    expect(endOf('anthropic-messages', write('openai-chat', 'anthropic-messages', body).body)).toBe(
      messages,
    )
    expect(endOf('openai-responses', write('openai-chat', 'openai-responses', body).body)).toBe(
      responses,
    )
  })

  test.each([
    ['completed', RESPONSES.plain, 'end_turn', 'stop'],
    ['completed, with calls', RESPONSES.rich, 'tool_use', 'tool_calls'],
    ['incomplete at max_output_tokens', RESPONSES.cut, 'max_tokens', 'length'],
    ['incomplete by content_filter', RESPONSES.filtered, 'refusal ', 'content_filter'],
    ['completed, with a refusal', RESPONSES.refused, 'refusal I cannot do that.', 'stop'],
  ] as const)('that Responses calls %s', (_, body, messages, chat) => {
    expect(
      endOf('anthropic-messages', write('openai-responses', 'anthropic-messages', body).body),
    ).toBe(messages)
    expect(endOf('openai-chat', write('openai-responses', 'openai-chat', body).body)).toBe(chat)
  })
})

describe('a refusal', () => {
  test('is said in words where the wire has a place for them', () => {
    const chat = write('anthropic-messages', 'openai-chat', MESSAGES.refused).body
    expect(chat['choices']).toMatchObject([{ message: { content: null, refusal: 'Not this.' } }])
    const responses = write('anthropic-messages', 'openai-responses', MESSAGES.refused).body
    expect(responses['output']).toMatchObject([
      { type: 'message', content: [{ type: 'refusal', refusal: 'Not this.' }] },
    ])
    const messages = write('openai-chat', 'anthropic-messages', CHAT.refused).body
    expect(messages['content']).toEqual([{ type: 'text', text: 'I cannot do that.' }])
  })
})

describe('a call', () => {
  test('has an id that the target takes, the same on every turn', () => {
    const idOf = (): unknown => {
      const [call] = write('openai-chat', 'anthropic-messages', CHAT.longId).body[
        'content'
      ] as JsonObject[]
      return call?.['id']
    }
    expect(idOf()).toMatch(/^[a-zA-Z0-9_-]+$/)
    expect(idOf()).toBe(idOf())
    const chat = write('openai-responses', 'openai-chat', RESPONSES.longId).body
    const id = /"tool_calls":\[\{"id":"([^"]*)"/.exec(JSON.stringify(chat))?.[1] ?? ''
    expect(id.length).toBeGreaterThan(0)
    expect(id.length).toBeLessThanOrEqual(40)
  })

  test('that the limit cut off is not passed as whole', () => {
    const messages = write('openai-chat', 'anthropic-messages', CHAT.cut)
    expect(messages.body).toMatchObject({
      stop_reason: 'max_tokens',
      content: [{ type: 'tool_use', input: {} }],
    })
    expect(messages.losses).toEqual(['dropped arguments of weather'])
    const responses = write('openai-chat', 'openai-responses', CHAT.cut).body
    expect(responses['output']).toMatchObject([{ arguments: '{"city":"Be', status: 'incomplete' }])
  })

  test('whose arguments are no JSON object is an error on Anthropic, as in a stream', () => {
    expect(write('openai-chat', 'anthropic-messages', CHAT.broken).body).toEqual({
      type: 'error',
      error: {
        type: 'api_error',
        message: 'Internal server error: The arguments of the call "weather" are no JSON object',
      },
    })
  })

  test('of a custom tool stays one where the client says that it knows them', () => {
    const state = assemble(WIRES['openai-responses'].readAnswer(RESPONSES.rich))
    const { body } = WIRES['openai-chat'].writeAnswer(state, { customTools: true })
    expect(JSON.stringify(body)).toContain(
      '"type":"custom","custom":{"name":"run","input":"ls \\"a b\\"\\n"}',
    )
  })
})

describe('several choices', () => {
  test('are one answer on a wire that has no others, and the rest is a loss', () => {
    for (const to of ['anthropic-messages', 'openai-responses'] as const) {
      const { body, losses } = write('openai-chat', to, CHAT.two)
      expect(JSON.stringify(body)).not.toContain('Goodbye')
      expect(losses).toEqual(['dropped choice'])
    }
  })
})

/** Errors as vendors send them, and what each one is. */
const ERRORS: Readonly<Record<WireName, readonly (readonly [FaultKind, JsonObject])[]>> = {
  'anthropic-messages': (
    [
      ['invalid-request', 'invalid_request_error', 'max_tokens: must be positive'],
      ['context-too-long', 'invalid_request_error', 'prompt is too long: 9 tokens > 8 maximum'],
      ['authentication', 'authentication_error', 'invalid x-api-key'],
      ['billing', 'billing_error', 'No credit'],
      ['permission', 'permission_error', 'Not yours'],
      ['not-found', 'not_found_error', 'model: gone'],
      ['conflict', 'conflict_error', 'Already there'],
      ['too-large', 'request_too_large', 'Too many bytes'],
      ['rate-limit', 'rate_limit_error', 'Slow down'],
      ['internal', 'api_error', 'Internal server error'],
      ['timeout', 'timeout_error', 'Took too long'],
      ['overloaded', 'overloaded_error', 'Overloaded'],
    ] as const
  ).map(([kind, type, text]) => [
    kind,
    { type: 'error', error: { type, message: text }, request_id: 'req_1' },
  ]),
  'openai-chat': openaiErrors(),
  'openai-responses': openaiErrors(),
}

function openaiErrors(): (readonly [FaultKind, JsonObject])[] {
  const words = [
    ['invalid-request', 'invalid_request_error', null, 'Bad value'],
    ['context-too-long', 'invalid_request_error', 'context_length_exceeded', 'Too many tokens'],
    ['authentication', 'invalid_request_error', 'invalid_api_key', 'Wrong key'],
    ['billing', 'insufficient_quota', 'insufficient_quota', 'You exceeded your quota'],
    ['not-found', 'invalid_request_error', 'model_not_found', 'No such model'],
    ['rate-limit', 'tokens', 'rate_limit_exceeded', 'Please try again in 3s'],
    ['internal', 'server_error', null, 'The server had an error'],
    ['overloaded', 'server_error', 'server_is_overloaded', 'Overloaded'],
  ] as const
  return words.map(([kind, type, code, text]) => [
    kind,
    { error: { message: text, type, param: null, code } },
  ])
}

describe.each(WIRE_NAMES.flatMap((from) => WIRE_NAMES.map((to) => ({ from, to }))))(
  'an error body from $from to $to',
  ({ from, to }) => {
    test.each(ERRORS[from])('says that it is %s, in the same words', (kind, body) => {
      const fault = WIRES[from].readError(body)
      expect(fault.kind).toBe(kind)
      const written = WIRES[to].writeError(fault)
      expect(WIRES[to].recognise(written)).toBe('error')
      const again = WIRES[to].readError(written)
      // A conflict has no word on the OpenAI wires: only its status tells it from a bad request.
      const isLost = kind === 'conflict' && to !== 'anthropic-messages'
      expect(again.kind).toBe(isLost ? 'invalid-request' : kind)
      // Clients look for their own vendor's words when a conversation is too long.
      if (kind !== 'context-too-long') expect(again.message).toContain(fault.message)
    })
  },
)

test.each([
  ['a bare string', { error: 'Nope' }, 'internal', 'Nope'],
  [
    'a number that is the status',
    { error: { code: 429, message: 'Too many' } },
    'rate-limit',
    'Too many',
  ],
  ['no reason at all', { error: {} }, 'internal', 'The upstream gave no reason'],
] as const)('an error of a compatible server is read from %s', (_, body, kind, message) => {
  for (const wire of ['openai-chat', 'openai-responses'] as const)
    expect(WIRES[wire].readError(body)).toMatchObject({ kind, message })
})
