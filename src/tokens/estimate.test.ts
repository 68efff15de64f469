import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isObject } from '../base/json.ts'
import { estimateTokens } from './estimate.ts'
import { weighText } from './text.ts'

const LONG = 'The quick brown fox jumps over the lazy dog and runs away. '.repeat(20)
const ALONE = Math.round(weighText(LONG))

/** The same long text in every place that a model reads, on each wire. */
const READ: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'system text': { system: LONG },
  'system blocks': { system: [{ type: 'text', text: LONG, cache_control: { type: 'ephemeral' } }] },
  instructions: { instructions: LONG },
  'a message': { messages: [{ role: 'user', content: LONG }] },
  'a part of a message': { messages: [{ role: 'user', content: [{ type: 'text', text: LONG }] }] },
  'a thinking block': {
    messages: [
      {
        role: 'assistant',
        content: [{ type: 'thinking', thinking: LONG, signature: 'x'.repeat(600) }],
      },
    ],
  },
  'the input of a tool use': {
    messages: [
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: 'a', name: 'b', input: { c: LONG } }],
      },
    ],
  },
  'a tool result': {
    messages: [
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: LONG }] },
    ],
  },
  'a tool result of parts': {
    messages: [
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: LONG }] },
        ],
      },
    ],
  },
  'a document of text': {
    messages: [
      {
        role: 'user',
        content: [
          { type: 'document', source: { type: 'text', media_type: 'text/plain', data: LONG } },
        ],
      },
    ],
  },
  'the description of a tool': { tools: [{ name: 'a', description: LONG, input_schema: {} }] },
  'the schema of a tool': {
    tools: [{ name: 'a', input_schema: { properties: { b: { description: LONG } } } }],
  },
  'the arguments of a Chat call': {
    messages: [
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'b', arguments: LONG } }],
      },
    ],
  },
  'reasoning on Chat': { messages: [{ role: 'assistant', reasoning_content: LONG, content: '' }] },
  'a Chat tool': { tools: [{ type: 'function', function: { name: 'a', description: LONG } }] },
  'a Chat schema': {
    response_format: { type: 'json_schema', json_schema: { schema: { description: LONG } } },
  },
  'the input of Responses': { input: LONG },
  'an item of Responses': {
    input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: LONG }] }],
  },
  'a function call': {
    input: [{ type: 'function_call', call_id: 'a', name: 'b', arguments: LONG }],
  },
  'a custom call': { input: [{ type: 'custom_tool_call', call_id: 'a', name: 'b', input: LONG }] },
  'the output of a call': { input: [{ type: 'function_call_output', call_id: 'a', output: LONG }] },
  'the output of a shell': {
    input: [{ type: 'shell_call_output', call_id: 'a', output: [{ stdout: LONG, stderr: '' }] }],
  },
  'an open reasoning': {
    input: [{ type: 'reasoning', summary: [{ type: 'summary_text', text: LONG }] }],
  },
  'a tool in a namespace': {
    tools: [{ type: 'namespace', name: 'a', tools: [{ type: 'function', description: LONG }] }],
  },
}

describe('what a model reads is counted once', () => {
  test.each(Object.keys(READ))('%s', (where) => {
    const tokens = estimateTokens(READ[where] ?? {})
    expect(tokens).toBeGreaterThanOrEqual(ALONE)
    expect(tokens).toBeLessThan(ALONE + 50)
  })
})

describe('what a model does not read is not counted', () => {
  test.each<[string, object]>([
    ['metadata', { metadata: { user_id: LONG }, model: LONG }],
    ['a deferred tool', { tools: [{ name: 'a', description: LONG, defer_loading: true }] }],
    ['a signature', { messages: [{ content: [{ type: 'thinking', signature: LONG }] }] }],
    ['ids', { messages: [{ content: [{ type: 'tool_result', tool_use_id: LONG }] }] }],
  ])('%s', (_, body) => {
    expect(estimateTokens({ ...body })).toBeLessThan(40)
  })
})

const BASE64 = 'QUJD'.repeat(100_000)

describe('what is no text is not counted as text', () => {
  test.each<[string, object]>([
    ['Anthropic', { type: 'image', source: { type: 'base64', data: BASE64 } }],
    ['Chat', { type: 'image_url', image_url: { url: `data:image/jpeg;base64,${BASE64}` } }],
    ['Responses', { type: 'input_image', image_url: `data:image/jpeg;base64,${BASE64}` }],
    ['by address', { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } }],
    ['by id', { type: 'input_image', file_id: 'file-1' }],
  ])('an image costs about what vendors take for one: %s', (_, part) => {
    const tokens = estimateTokens({ messages: [{ role: 'user', content: [part] }] })
    expect(tokens).toBeGreaterThan(500)
    expect(tokens).toBeLessThan(2000)
  })

  test('an image that is looked at coarsely is cheap', () => {
    const part = { type: 'image_url', image_url: { url: 'https://example.com', detail: 'low' } }
    expect(estimateTokens({ messages: [{ content: [part] }] })).toBeLessThan(100)
  })

  test('the size of a PNG is read from its header', () => {
    const png = (width: number, height: number): string => {
      const word = (n: number): string =>
        String.fromCharCode(n >>> 24, (n >>> 16) & 255, (n >>> 8) & 255, n & 255)
      return btoa(`\x89PNG\r\n\x1A\n\0\0\0\rIHDR${word(width)}${word(height)}`)
    }
    const cost = (width: number, height: number): number =>
      estimateTokens({
        messages: [{ content: [{ type: 'image', source: { data: png(width, height) } }] }],
      })
    expect(cost(750, 1000) - cost(750, 500)).toBe(500)
  })

  test('a document costs by its size, and sealed reasoning by its length', () => {
    const pdf = { type: 'document', source: { type: 'base64', data: BASE64 } }
    const tokens = estimateTokens({ messages: [{ content: [pdf] }] })
    expect(tokens).toBeGreaterThan(5000)
    expect(tokens).toBeLessThan(30_000)
    const sealed = { type: 'reasoning', summary: [], encrypted_content: 'x'.repeat(2188) }
    expect(estimateTokens({ input: [sealed] })).toBeGreaterThan(150)
    expect(estimateTokens({ input: [sealed] })).toBeLessThan(250)
  })
})

test('any body has a count, whatever its fields hold', () => {
  const names = ['messages', 'input', 'system', 'tools', 'content', 'type', 'source', 'image_url']
  const value = fc.letrec((tie) => ({
    json: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom(null, true, 7, 'image', 'document', 'reasoning', 'tool_use', 'text'),
      fc.array(tie('json'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...names), tie('json'), { maxKeys: 4 }),
    ),
  })).json
  const counted = fc.property(fc.dictionary(fc.constantFrom(...names), value), (body) => {
    const tokens = isObject(body) ? estimateTokens(body) : 0
    expect(Number.isInteger(tokens) && tokens >= 0).toBe(true)
  })
  fc.assert(counted, { numRuns: 200 })
})

test('a body that is nested without end does not exhaust the stack', () => {
  let deep: unknown = 'x'
  for (let i = 0; i < 100_000; i++) deep = i % 2 === 0 ? [deep] : { content: deep }
  expect(estimateTokens({ messages: [deep], tools: [deep] })).toBeGreaterThan(0)
})
