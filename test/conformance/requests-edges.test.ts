/**
 * Requests at the edge of what a wire can say: almost empty ones, wrong numbers, and tools whose schema another
 * API takes differently. Neighbours: `requests-properties.test.ts` has the usual ones.
 */
import { describe, expect, test } from 'vitest'
import type { WireName } from '../../src/event/event.ts'
import { toProfile, type Vendor } from '../../src/request/profile.ts'
import { translateRequest } from '../../src/translate/translate.ts'
import { WIRES } from '../../src/wire/wires.ts'
import { validateAnthropic } from '../support/api-rules-anthropic.ts'
import { validateChat } from '../support/api-rules-chat.ts'
import { validateResponses } from '../support/api-rules-responses.ts'

const MODELS: Readonly<Record<WireName, string>> = {
  'anthropic-messages': 'claude-opus-5',
  'openai-chat': 'gpt-4.1',
  'openai-responses': 'gpt-4.1',
}

type Translated = ReturnType<typeof translateRequest>

function translate(from: WireName, to: WireName, body: object, vendor?: Vendor): Translated {
  const model = MODELS[to]
  return translateRequest({
    from: WIRES[from],
    to: WIRES[to],
    body: { model: 'm', ...body },
    model,
    isStream: false,
    profile: toProfile({ wire: to, model, vendor: vendor ?? (to === A ? 'anthropic' : 'openai') }),
  })
}

const A = 'anthropic-messages'
const B = 'openai-chat'
const C = 'openai-responses'

function bodyOf(translated: Translated, to: WireName): Readonly<Record<string, unknown>> {
  if (!translated.ok) throw new Error(JSON.stringify(translated.problem))
  const validate = to === A ? validateAnthropic : to === B ? validateChat : validateResponses
  expect(validate(translated.body)).toEqual([])
  return translated.body
}

const lossesOf = (translated: Translated): readonly string[] =>
  translated.ok ? translated.losses.map(({ kind, what }) => `${kind}:${what}`) : []

const problemOf = (translated: Translated): unknown =>
  translated.ok ? undefined : translated.problem

describe('a request that is only instructions', () => {
  const chat = { messages: [{ role: 'system', content: 'Say hi' }] }
  const responses = { instructions: 'Say hi', input: [] }

  test('is an item of its own on Responses, which refuses an empty input', () => {
    const body = bodyOf(translate(B, C, chat), C)
    expect(body['instructions']).toBeUndefined()
    expect(body['input']).toEqual([
      { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Say hi' }] },
    ])
  })

  test.each([
    [B, chat],
    [C, responses],
  ] as const)('comes from %s to Messages with a word of the user’s', (from, asked) => {
    const body = bodyOf(translate(from, A, asked), A)
    expect(body['system']).toEqual([{ type: 'text', text: 'Say hi' }])
    expect(body['messages']).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Begin.' }] },
    ])
  })

  test('is a system message on Chat', () => {
    const body = bodyOf(translate(C, B, responses), B)
    expect(body['messages']).toEqual([{ role: 'system', content: 'Say hi' }])
  })
})

describe('a request with nothing in it that can be told', () => {
  const unknown = { max_tokens: 9, messages: [{ role: 'user', content: [{ type: 'nothing' }] }] }

  test.each([
    [C, A, { input: [] }, 'input'],
    [C, B, { input: [] }, 'input'],
    [C, B, { input: '' }, 'input'],
    [A, B, unknown, 'messages'],
    [A, C, unknown, 'messages'],
    [B, A, { messages: [{ role: 'user', content: '' }] }, 'messages'],
    [B, C, { messages: [{ role: 'user', content: '' }] }, 'messages'],
    [B, C, { messages: [{ role: 'system', content: '' }] }, 'messages'],
  ] as const)('from %s to %s is refused: %j', (from, to, body, path) => {
    expect(problemOf(translate(from, to, body))).toEqual({
      path,
      message: 'Send a message that has something in it which this upstream can read',
    })
  })
})

describe('the schema of a tool', () => {
  const anthropic = (input_schema: object): object => ({
    max_tokens: 9,
    messages: [{ role: 'user', content: 'hi' }],
    tools: [{ name: 'x', input_schema }],
  })
  const chat = (parameters: object, more: object = {}): object => ({
    messages: [{ role: 'user', content: 'hi' }],
    tools: [{ type: 'function', function: { name: 'x', parameters, ...more } }],
  })

  test.each([B, C] as const)('with a list of anything says so on %s', (to) => {
    const asked = anthropic({
      type: 'object',
      properties: {
        a: { type: 'array' },
        b: { type: 'object', properties: { c: { type: ['array', 'null'], default: [] } } },
        type: { type: 'array', items: { anyOf: [{ type: 'array' }] } },
        d: { enum: [{ type: 'array' }], default: { type: 'array' }, examples: [{ type: 'array' }] },
      },
    })
    const translated = translate(A, to, asked)
    expect(JSON.stringify(bodyOf(translated, to)['tools'])).toContain(
      JSON.stringify({
        a: { type: 'array', items: {} },
        b: {
          type: 'object',
          properties: { c: { type: ['array', 'null'], default: [], items: {} } },
        },
        type: { type: 'array', items: { anyOf: [{ type: 'array', items: {} }] } },
        d: { enum: [{ type: 'array' }], default: { type: 'array' }, examples: [{ type: 'array' }] },
      }),
    )
    expect(lossesOf(translated)).toEqual([])
  })

  test.each([B, C] as const)('with a property that Messages does not take is refused', (from) => {
    const schema = { type: 'object', properties: { a: {}, $filter: { type: 'string' } } }
    const asked =
      from === B
        ? chat(schema)
        : { input: 'hi', tools: [{ type: 'function', name: 'x', parameters: schema }] }
    expect(problemOf(translate(from, A, asked))).toEqual({
      path: 'tools[0]',
      message:
        'Change the schema of the tool "x": its property "$filter" is called as none may be here: ' +
        'use 1 to 64 letters, digits, "_", "-" and "."',
      code: 'unsupported',
    })
    const inner = { type: 'object', properties: { a: schema } }
    expect(translate(B, A, chat(inner)).ok).toBe(true)
  })

  const closed = { type: 'object', additionalProperties: false }
  test.each([
    ['names what it does not have', { ...closed, properties: {}, required: ['a'] }],
    ['has an object without properties', { ...closed, properties: { a: closed }, required: ['a'] }],
    ['has an optional property', { ...closed, properties: { a: { type: 'string' } } }],
    ['does not say of what type', { ...closed, properties: { a: {} }, required: ['a'] }],
  ])('that %s is not enforced by OpenAI', (_, schema) => {
    const tool = { max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] }
    const strict = { ...tool, tools: [{ name: 'x', input_schema: schema, strict: true }] }
    const format = { ...tool, output_config: { format: { type: 'json_schema', schema } } }
    for (const to of [B, C] as const) {
      const asTool = translate(A, to, strict)
      expect(JSON.stringify(bodyOf(asTool, to)['tools'])).toContain('"strict":false')
      expect(lossesOf(asTool)).toEqual([
        to === B ? 'approximated:tools.x.strict' : 'approximated:tools.strict',
      ])
      const asFormat = translate(A, to, format)
      expect(JSON.stringify(bodyOf(asFormat, to))).toContain('"strict":false')
      expect(lossesOf(asFormat)).toEqual(['approximated:output_config.format'])
    }
  })
})

describe('a number that cannot be meant', () => {
  const messages = [{ role: 'user', content: 'hi' }]
  test.each([
    [C, { input: 'hi', max_output_tokens: 99.5 }, 'max_output_tokens'],
    [C, { input: 'hi', max_output_tokens: -1 }, 'max_output_tokens'],
    [C, { input: 'hi', max_output_tokens: '100' }, 'max_output_tokens'],
    [C, { input: 'hi', temperature: 'hot' }, 'temperature'],
    [C, { input: 'hi', top_p: '1' }, 'top_p'],
    [C, { input: 'hi', top_logprobs: 1.5 }, 'top_logprobs'],
    [A, { messages, max_tokens: 99.5 }, 'max_tokens'],
    [A, { messages, max_tokens: 9, top_k: 1.5 }, 'top_k'],
    [B, { messages, max_completion_tokens: 99.5 }, 'max_completion_tokens'],
    [B, { messages, logprobs: true, top_logprobs: 1.5 }, 'top_logprobs'],
    [B, { messages, logprobs: true, top_logprobs: -1 }, 'top_logprobs'],
    [B, { messages, seed: 0.5 }, 'seed'],
  ] as const)('on %s is refused: %j', (from, body, path) => {
    const problem = problemOf(translate(from, from === B ? C : B, body))
    expect(problem).toMatchObject({ path, message: expect.stringMatching(/^(?:Send|Cannot) /) })
  })

  test('is none where the field is empty', () => {
    const empty = { max_output_tokens: null, temperature: null, top_p: null, top_logprobs: null }
    bodyOf(translate(C, B, { input: 'hi', ...empty }), B)
  })
})
