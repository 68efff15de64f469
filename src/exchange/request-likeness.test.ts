import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../base/json.ts'
import { parseExactObject } from '../base/json-exact.ts'
import type { Part } from '../request/part.ts'
import type { ModelRequest } from '../request/request.ts'
import { WIRES } from '../wire/wires.ts'
import { isLike } from './request-likeness.ts'

const BODY: JsonObject = {
  model: 'm',
  max_tokens: 10,
  system: 'Be brief',
  metadata: { user_id: 'u' },
  tools: [{ name: 'Read', description: 'Reads', input_schema: { type: 'object', properties: {} } }],
  messages: [{ role: 'user', content: 'Hi' }],
}

function read(body: JsonObject): ModelRequest {
  const outcome = WIRES['anthropic-messages'].readRequest(body)
  if (!outcome.ok) throw new Error('Not read')
  return outcome.request
}

const saying = (...parts: readonly Part[]): ModelRequest => ({
  ...read(BODY),
  turns: [{ role: 'assistant', parts }],
})

const call = (args: string): Part => ({
  type: 'tool-call',
  id: 'call_1',
  name: 'Read',
  dialect: 'function',
  arguments: args,
})
const text = (said: string): Part => ({ type: 'text', text: said })

describe('requests say the same', () => {
  test('whatever objects of a client say it, and in whatever order', () => {
    const { model, ...rest } = BODY
    expect(isLike(read(BODY), read({ ...rest, model }))).toBe(true)
    expect(isLike(saying(text('a')), saying({ type: 'text', text: 'a', vendor: { x: 1 } }))).toBe(
      true,
    )
  })

  test('with other spaces between arguments, and with none for no arguments', () => {
    expect(isLike(saying(call('{"a": [1, {"b":2}]}')), saying(call('{"a":[1,{"b":2}]}')))).toBe(
      true,
    )
    expect(isLike(saying(call('')), saying(call('{}')))).toBe(true)
  })

  test('with a setting that is undefined, and with none', () => {
    const one = read(BODY)
    expect(isLike({ ...one, sampling: { topP: undefined } as never }, one)).toBe(true)
    expect(isLike(one, { ...one, sampling: { topP: undefined } as never })).toBe(true)
  })
})

describe('requests do not say the same', () => {
  const one = read(BODY)
  const others: readonly [string, ModelRequest][] = [
    ['another word', read({ ...BODY, messages: [{ role: 'user', content: 'Ho' }] })],
    ['another role', { ...one, turns: one.turns.map((turn) => ({ ...turn, role: 'assistant' })) }],
    ['another turn', { ...one, turns: [...one.turns, ...one.turns] }],
    ['a turn less', { ...one, turns: [] }],
    ['another system prompt', read({ ...BODY, system: 'Be long' })],
    ['another setting', read({ ...BODY, max_tokens: 11 })],
    ['one setting more', read({ ...BODY, temperature: 0 })],
    ['another form', { ...one, format: { type: 'json-object' } }],
    ['another member of metadata', { ...one, metadata: { user_id: 'v' } }],
    [
      'another tool',
      { ...one, tools: one.tools.map((tool) => ({ ...tool, description: 'Writes' })) },
    ],
  ]
  test.each(others)('%s', (_what, other) => {
    expect(isLike(one, one)).toBe(true)
    expect(isLike(one, other)).toBe(false)
    expect(isLike(other, one)).toBe(false)
  })

  const image = (data: string): Part => ({
    type: 'image',
    source: { type: 'inline', mediaType: 'image/png', data },
  })
  const document = (title: string): Part => ({
    type: 'document',
    source: { type: 'text', text: 'x' },
    title,
  })
  const result = (said: string): Part => ({
    type: 'tool-result',
    callId: 'call_1',
    dialect: 'function',
    parts: [{ type: 'text', text: said }],
    isError: false,
  })
  const thinking = (said: string, signature?: string): Part => ({
    type: 'thinking',
    text: said,
    seal: signature === undefined ? undefined : { wire: 'anthropic-messages', signature },
  })
  const pairs: readonly [string, Part, Part][] = [
    ['text', text('a'), text('b')],
    ['text and refusal', text('a'), { type: 'refusal', text: 'a' }],
    ['thinking', thinking('a'), thinking('b')],
    ['sealed thinking', thinking('a', 's'), thinking('a', 't')],
    ['arguments', call('{"a":1}'), call('{"a":2}')],
    ['arguments of 64 bits', call('{"a":9007199254740993}'), call('{"a":9007199254740992}')],
    ['results', result('a'), result('b')],
    ['images', image('AA=='), image('AB==')],
    ['documents', document('a'), document('b')],
    [
      'what only a vendor knows',
      { type: 'opaque', what: 'x', vendor: { a: { b: [1, null] } } },
      { type: 'opaque', what: 'x', vendor: { a: { b: [1, 0] } } },
    ],
    [
      'a member called __proto__',
      { type: 'opaque', what: 'x', vendor: parseExactObject('{"__proto__":{}}') ?? {} },
      { type: 'opaque', what: 'x', vendor: {} },
    ],
  ]
  test.each(pairs)('%s', (_what, a, b) => {
    expect(isLike(saying(a), saying(structuredClone(a)))).toBe(true)
    expect(isLike(saying(a), saying(b))).toBe(false)
    expect(isLike(saying(b), saying(a))).toBe(false)
  })
})
