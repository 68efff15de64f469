import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { FaultKind } from '../event/fault.ts'
import type { JsonObject } from '../base/json.ts'
import { readWait } from './fault-words.ts'
import { WIRE_NAMES, WIRES } from './wires.ts'

const CHAT = WIRES['openai-chat']
const RESPONSES = WIRES['openai-responses']
const ANTHROPIC = WIRES['anthropic-messages']

/** Bodies of errors as servers send them on the OpenAI wires. */
const OPENAI: readonly (readonly [string, FaultKind, JsonObject])[] = [
  [
    'OpenAI, no quota',
    'billing',
    {
      error: {
        message: 'You exceeded your current quota, please check your plan and billing details.',
        type: 'insufficient_quota',
        code: 'insufficient_quota',
      },
    },
  ],
  [
    'DeepSeek, no balance',
    'billing',
    {
      error: {
        message: 'Insufficient Balance',
        type: 'unknown_error',
        code: 'invalid_request_error',
      },
    },
  ],
  [
    'OpenRouter, no credits',
    'billing',
    { error: { message: 'This request requires more credits, or fewer max_tokens.', code: 402 } },
  ],
  [
    'xAI, no credits',
    'billing',
    {
      code: 'Some resource has been exhausted',
      error:
        'Your team has either used all available credits or reached its monthly spending limit.',
    },
  ],
  [
    'Moonshot, no quota',
    'billing',
    {
      error: {
        message: 'Your account is suspended, please check your plan and billing details',
        type: 'exceeded_current_quota_error',
      },
    },
  ],
  [
    'Zhipu, no balance',
    'billing',
    {
      error: {
        code: '1113',
        message: 'Insufficient balance or no resource package. Please recharge.',
      },
    },
  ],
  [
    'ChatGPT, the plan is used up',
    'billing',
    { error: { type: 'usage_limit_reached', message: 'The usage limit has been reached' } },
  ],
  [
    'Gemini, a rate worded as a quota',
    'rate-limit',
    {
      error: {
        code: 429,
        message:
          'You exceeded your current quota, please check your plan and billing details. Please retry in 34.07s.',
        status: 'RESOURCE_EXHAUSTED',
      },
    },
  ],
  [
    'OpenAI, a rate',
    'rate-limit',
    {
      error: {
        message: 'Rate limit reached for gpt-4o. Please try again in 2s.',
        type: 'tokens',
        code: 'rate_limit_exceeded',
      },
    },
  ],
  [
    'Bedrock, a rate',
    'rate-limit',
    { message: 'Too many tokens, please wait before trying again.' },
  ],
  [
    'Moonshot, a rate',
    'rate-limit',
    { error: { message: 'max RPM: 3', type: 'rate_limit_reached_error' } },
  ],
  [
    'Gemini, overloaded',
    'overloaded',
    {
      error: {
        code: 503,
        message: 'The model is overloaded. Please try again later.',
        status: 'UNAVAILABLE',
      },
    },
  ],
  [
    'Mistral, at capacity',
    'overloaded',
    {
      object: 'error',
      message: 'Service tier capacity exceeded for this model.',
      type: 'service_tier_capacity_exceeded',
      code: '3505',
    },
  ],
  [
    'Moonshot, overloaded',
    'overloaded',
    {
      error: {
        message: 'The engine is currently overloaded, please try again later',
        type: 'engine_overloaded_error',
      },
    },
  ],
  [
    'Ollama, busy',
    'overloaded',
    { error: 'server busy, please try again.  maximum pending requests exceeded' },
  ],
  [
    'llama.cpp, loading',
    'overloaded',
    { error: { code: 503, message: 'Loading model', type: 'unavailable_error' } },
  ],
  [
    'OpenAI, wrong key',
    'authentication',
    {
      error: {
        message: 'Incorrect API key provided: sk-x',
        type: 'invalid_request_error',
        code: 'invalid_api_key',
      },
    },
  ],
  [
    'Gemini, wrong key with 400',
    'authentication',
    {
      error: {
        code: 400,
        message: 'API key not valid. Please pass a valid API key.',
        status: 'INVALID_ARGUMENT',
      },
    },
  ],
  [
    'xAI, wrong key with 400',
    'authentication',
    { code: 'Client specified an invalid argument', error: 'Incorrect API key provided: xa***' },
  ],
  [
    'OpenRouter, no key',
    'authentication',
    { error: { message: 'No auth credentials found', code: 401 } },
  ],
  [
    'DeepSeek, wrong key',
    'authentication',
    { error: { message: 'Authentication Fails (no such user)', type: 'authentication_error' } },
  ],
  [
    'OpenAI, unknown model',
    'not-found',
    {
      error: {
        message: 'The model `gpt-9` does not exist or you do not have access to it.',
        type: 'invalid_request_error',
        code: 'model_not_found',
      },
    },
  ],
  [
    'vLLM, unknown model',
    'not-found',
    {
      object: 'error',
      message: 'The model `x` does not exist.',
      type: 'NotFoundError',
      param: null,
      code: 404,
    },
  ],
  [
    'Ollama, unknown model',
    'not-found',
    { error: { message: 'model "x" not found, try pulling it first', type: 'api_error' } },
  ],
  [
    'DeepSeek, unknown model',
    'not-found',
    {
      error: {
        message: 'Model Not Exist',
        type: 'invalid_request_error',
        code: 'invalid_request_error',
      },
    },
  ],
  [
    'Mistral, unknown model',
    'not-found',
    { object: 'error', message: 'Invalid model: x', type: 'invalid_model', code: '1500' },
  ],
  [
    'OpenRouter, unknown model',
    'not-found',
    { error: { message: 'x/y is not a valid model ID', code: 400 } },
  ],
  ['Bedrock, unknown model', 'not-found', { message: 'The provided model identifier is invalid.' }],
  [
    'OpenAI, policy',
    'content-policy',
    { error: { message: 'Your request was rejected', code: 'content_policy_violation' } },
  ],
  [
    'OpenAI, flagged',
    'content-policy',
    {
      error: {
        message:
          'Invalid prompt: your prompt was flagged as potentially violating our usage policy.',
        type: 'invalid_request_error',
        code: 'invalid_prompt',
      },
    },
  ],
  [
    'Azure, filtered',
    'content-policy',
    {
      error: {
        message:
          "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
        code: 'content_filter',
        status: 400,
      },
    },
  ],
  [
    'DeepSeek, risk',
    'content-policy',
    { error: { message: 'Content Exists Risk', type: 'invalid_request_error' } },
  ],
  [
    'DashScope, inspection',
    'content-policy',
    {
      error: {
        code: 'data_inspection_failed',
        message: 'Input data may contain inappropriate content.',
      },
    },
  ],
  ['nginx', 'too-large', { error: { code: 413, message: 'Request Entity Too Large' } }],
  ['a status beside a bare sentence', 'rate-limit', { error: 'Slow down', code: 429 }],
  ['FastAPI', 'internal', { detail: [{ loc: ['body'], msg: 'field required', type: 'missing' }] }],
  [
    'a field that is wrong',
    'invalid-request',
    { error: { message: "Unknown parameter: 'x'", type: 'invalid_request_error' } },
  ],
  [
    'OpenRouter, handing on',
    'context-too-long',
    {
      error: {
        message: 'Provider returned error',
        code: 400,
        metadata: { raw: '{"error":{"message":"prompt is too long: 9 tokens > 5 maximum"}}' },
      },
    },
  ],
  [
    'a code in the wrong place',
    'context-too-long',
    { error: { message: 'Bad', type: 'exceed_context_size_error', code: 400 } },
  ],
]

describe.each(OPENAI)('%s', (_, kind, body) => {
  test(`is read as ${kind} on both OpenAI wires`, () => {
    expect([CHAT.readError(body).kind, RESPONSES.readError(body).kind]).toEqual([kind, kind])
  })
})

const toError = (type: string, message: string): JsonObject => ({
  type: 'error',
  error: { type, message },
})

describe('errors on the Anthropic wire', () => {
  test.each<[string, FaultKind, JsonObject]>([
    [
      'too long',
      'context-too-long',
      toError('invalid_request_error', 'prompt is too long: 9 tokens > 5 maximum'),
    ],
    [
      'too long, elsewhere',
      'context-too-long',
      toError('api_error', 'the request exceeds the available context size'),
    ],
    [
      'no credit',
      'billing',
      toError(
        'invalid_request_error',
        'Your credit balance is too low to access the Anthropic API.',
      ),
    ],
    [
      'filtered',
      'content-policy',
      toError('invalid_request_error', 'Output blocked by content filtering policy'),
    ],
    ['overloaded', 'overloaded', toError('overloaded_error', 'Overloaded')],
    ['wrong key', 'authentication', toError('authentication_error', 'invalid x-api-key')],
    ['unknown model', 'not-found', toError('not_found_error', 'model: claude-9')],
    [
      'a rate',
      'rate-limit',
      toError('rate_limit_error', "This request would exceed your organization's rate limit"),
    ],
    ['too large', 'too-large', toError('request_too_large', 'Request exceeds the maximum size')],
    ['flat, as Bedrock', 'context-too-long', { message: 'Input is too long for requested model.' }],
    ['a bare string', 'overloaded', { error: 'server is busy' }],
    ['nothing', 'internal', {}],
  ])('%s', (_, kind, body) => {
    expect(ANTHROPIC.readError(body).kind).toBe(kind)
  })
})

test('the wait that a sentence asks for is read', () => {
  expect(readWait('Please try again in 1.5s.')).toBe(1500)
  expect(readWait('Please try again in 200ms')).toBe(200)
  expect(readWait('Please try again in 6m0s.')).toBe(360_000)
  expect(readWait('Please retry in 34.07s')).toBe(34_070)
  expect(readWait('Retry after 20 seconds')).toBe(20_000)
  expect(readWait('Please try again later')).toBeUndefined()
})

test('any JSON is an error of some kind, with a message', () => {
  const names = ['error', 'message', 'detail', 'code', 'type', 'status', 'metadata', 'raw', 'msg']
  const json = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom(null, 400, Number.NaN, '', 'prompt is too long', '{"error":{}}', 'context'),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...names), tie('value'), { maxKeys: 4 }),
    ),
  })).value
  const read = fc.property(fc.dictionary(fc.constantFrom(...names), json), (body) => {
    for (const name of WIRE_NAMES) {
      const fault = WIRES[name].readError(body)
      expect(fault.message).not.toBe('')
      for (const other of WIRE_NAMES) expect(WIRES[other].writeError(fault)['error']).toBeDefined()
    }
  })
  fc.assert(read, { numRuns: 200 })
})

test('a sentence is found where FastAPI, Mistral and OpenRouter put it', () => {
  const read = (body: JsonObject): string => CHAT.readError(body).message
  expect(read({ detail: [{ loc: ['body'], msg: 'field required' }, { msg: 'too short' }] })).toBe(
    'field required; too short',
  )
  expect(read({ object: 'error', message: { detail: 'Extra inputs' } })).toBe('Extra inputs')
  expect(
    read({ error: { message: 'Provider returned error', metadata: { raw: '{"error":"no"}' } } }),
  ).toBe('Provider returned error: no')
  expect(read({ error: 'out of memory' })).toBe('out of memory')
})
