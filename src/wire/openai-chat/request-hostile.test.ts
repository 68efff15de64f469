/**
 * Whatever somebody sends: read to a request or to a problem, and never thrown over.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../base/json.ts'
import { toProfile, VENDORS } from '../../request/profile.ts'
import { seal } from '../envelope.ts'
import { readRequest, toEncoderOptions } from './request-read.ts'
import { writeRequest } from './request-write.ts'

const BODY = {
  model: 'm',
  stream: true,
  stream_options: { include_usage: true },
  messages: [
    { role: 'system', content: 'be brief' },
    {
      role: 'user',
      name: 'ann',
      content: [
        { type: 'text', text: 'hi', prompt_cache_breakpoint: { mode: 'explicit' } },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AA', detail: 'low' } },
        { type: 'file', file: { filename: 'a', file_data: 'AA' } },
      ],
    },
    {
      role: 'assistant',
      content: 'so',
      reasoning_content: 'hm',
      reasoning_details: [
        { type: 'reasoning.encrypted', index: 0, data: seal({ wire: 'openai-chat', text: 'hm' }) },
        { type: 'reasoning.text', index: 1, text: 'hm', signature: 's' },
      ],
      tool_calls: [
        { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } },
        { id: 'b', type: 'custom', custom: { name: 'g', input: 'x' } },
      ],
    },
    { role: 'tool', tool_call_id: 'a', content: [{ type: 'text', text: 'Error: x' }] },
    { role: 'tool', tool_call_id: 'b', content: 'y' },
    { role: 'assistant', function_call: { name: 'f', arguments: '' } },
    { role: 'function', name: 'f', content: null },
  ],
  tools: [
    { type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } },
    { type: 'custom', custom: { name: 'g', format: { type: 'grammar', grammar: {} } } },
  ],
  tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [{ name: 'f' }] } },
  response_format: { type: 'json_schema', json_schema: { name: 'n', schema: {} } },
  reasoning: { effort: 'low' },
  logit_bias: { 1: 2 },
  stop: ['a'],
  moderation: { input: { mode: 'block' } },
}

/** Every place in it, as a path. */
function placesOf(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path]
  return [path, ...Object.entries(value).flatMap(([key, inner]) => placesOf(inner, [...path, key]))]
}

function put(value: unknown, [key, ...rest]: readonly string[], instead: unknown): unknown {
  if (key === undefined) return instead
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<
    string,
    unknown
  >
  copy[key] = put(copy[key], rest, instead)
  return copy
}

const PLACES = placesOf(BODY).filter((path) => path.length > 0)
const anything = fc.oneof(
  fc.constantFrom(null, undefined, 0, -1, NaN, '', 'x', true, [], {}, [null], [[]], { type: 'x' }),
  fc.jsonValue({ maxDepth: 2 }),
)

test('a body in which anything was changed is read or refused in words, and then written', () => {
  const changes = fc.array(fc.tuple(fc.constantFrom(...PLACES), anything), {
    minLength: 1,
    maxLength: 3,
  })
  const holds = fc.property(changes, fc.constantFrom(...VENDORS), (changed, vendor) => {
    let body: unknown = BODY
    for (const [path, instead] of changed)
      // A change before may have taken the place away.
      if (path.slice(0, -1).every((_, i) => isThere(body, path.slice(0, i + 1))))
        body = put(body, path, instead)
    toEncoderOptions(body as JsonObject)
    const read = readRequest(body as JsonObject)
    if (!read.ok) {
      expect(read.problem.path).not.toBe('')
      expect(read.problem.message).toMatch(/^[A-Z]/)
      return
    }
    const profile = toProfile({ wire: 'openai-chat', vendor, model: 'm' })
    const options = { model: 'm', isStream: false, profile }
    writeRequest(read.request, options)
    // As if it came from elsewhere: all of the writer sees it.
    const source = { wire: 'anthropic-messages', body: {} } as const
    const made = writeRequest({ ...read.request, source }, options)
    expect(JSON.stringify(made)).not.toContain('sluice1.')
  })
  fc.assert(holds, { numRuns: Number(process.env['RUNS'] ?? 500) })
})

function isThere(value: unknown, path: readonly string[]): boolean {
  const inner = path.reduce<unknown>((at, key) => (at as JsonObject | undefined)?.[key], value)
  return typeof inner === 'object' && inner !== null
}

test('nesting without end is refused or passed on, and costs no stack', () => {
  let schema: JsonObject = { type: 'object', properties: {} }
  for (let i = 0; i < 20_000; i++)
    schema = {
      type: 'object',
      properties: { a: schema },
      required: ['a'],
      additionalProperties: false,
    }
  const read = readRequest({
    model: 'm',
    messages: [{ role: 'user', content: 'hi' }],
    tools: [{ type: 'function', function: { name: 'f', parameters: schema, strict: true } }],
  })
  if (!read.ok) expect.fail(read.problem.message)
  const profile = toProfile({ wire: 'openai-chat', vendor: 'openai', model: 'm' })
  const source = { wire: 'anthropic-messages', body: {} } as const
  const options = { model: 'm', isStream: false, profile }
  expect(() => writeRequest({ ...read.request, source }, options)).not.toThrow()
})
