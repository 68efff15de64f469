import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../base/json.ts'
import type { ModelRequest } from '../../request/request.ts'
import { seal } from '../envelope.ts'
import { readRequest } from './request-read.ts'

/** As Claude Code sends it. */
const CODE: JsonObject = {
  model: 'claude-opus-5',
  max_tokens: 64_000,
  stream: true,
  thinking: { type: 'adaptive', display: 'updates' },
  output_config: { effort: 'high' },
  context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
  metadata: { user_id: '{"device_id":"d"}' },
  system: [
    { type: 'text', text: 'x-anthropic-billing-header: cc_version=1; cch=8f2;' },
    { type: 'text', text: 'You are a coder.', cache_control: { type: 'ephemeral', ttl: '1h' } },
  ],
  messages: [
    { role: 'user', content: [{ type: 'text', text: 'Run it' }] },
    { role: 'system', content: '# Environment' },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Hm', signature: 'EqQB' },
        { type: 'redacted_thinking', data: 'EvAF' },
        { type: 'text', text: 'Running it.' },
        { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: 'ls' } },
      ],
    },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'a.txt', is_error: false }],
    },
  ],
  tools: [
    { name: 'Bash', description: 'Runs', input_schema: { type: 'object', properties: {} } },
    { name: 'DeferredToolPlaceholder', input_schema: { type: 'object' }, defer_loading: true },
  ],
}

function read(body: JsonObject): ModelRequest {
  const result = readRequest({ model: 'm', max_tokens: 9, messages: [ASK], ...body })
  if (!result.ok) throw new Error(`${result.problem.path}: ${result.problem.message}`)
  return result.request
}

const ASK = { role: 'user', content: 'Hi' }
const problemOf = (body: JsonObject): string | undefined => {
  const result = readRequest({ model: 'm', max_tokens: 9, messages: [ASK], ...body })
  return result.ok ? undefined : result.problem.path
}
const assistant = (...content: JsonObject[]): JsonObject => ({
  messages: [ASK, { role: 'assistant', content }],
})

test('reads what a coding agent sends, and needs nothing of it at another wire', () => {
  const request = read(CODE)
  expect(request).toMatchObject({
    model: 'claude-opus-5',
    isStream: true,
    maxTokens: 64_000,
    reasoning: { effort: 'high', mode: 'adaptive', shows: true },
    user: '{"device_id":"d"}',
    lost: [],
    needed: [],
  })
  expect(request.turns.map(({ role }) => role)).toEqual(['user', 'system', 'assistant', 'user'])
  expect(request.turns[2]?.parts).toMatchObject([
    { type: 'thinking', text: 'Hm', seal: { wire: 'anthropic-messages', signature: 'EqQB' } },
    { type: 'thinking', text: '', seal: { signature: 'EvAF', isRedacted: true } },
    { type: 'text', text: 'Running it.' },
    { type: 'tool-call', id: 'toolu_1', name: 'Bash', arguments: '{"command":"ls"}' },
  ])
  expect(request.turns[3]?.parts).toMatchObject([
    { type: 'tool-result', callId: 'toolu_1', isError: false, parts: [{ text: 'a.txt' }] },
  ])
  expect(request.tools).toMatchObject([{ name: 'Bash' }, { name: 'DeferredToolPlaceholder' }])
})

test('leaves the billing line out of the prompt, and keeps cache marks', () => {
  expect(read(CODE).system).toMatchObject([{ text: 'You are a coder.', cache: { ttl: '1h' } }])
  expect(read({ cache_control: { type: 'ephemeral' } }).cache.mark).toEqual({})
})

test('opens thinking that another vendor sealed', () => {
  const item = { type: 'reasoning', id: 'rs_1' }
  const envelope = { wire: 'openai-responses', issuer: 'gpt', text: 'T', signature: 'gAAA', item }
  const signature = seal(envelope as Parameters<typeof seal>[0])
  const { turns } = read(assistant({ type: 'thinking', thinking: 'shown', signature }))
  expect(turns[1]?.parts).toMatchObject([
    {
      text: 'T',
      seal: { wire: 'openai-responses', issuer: 'gpt', signature: 'gAAA', item },
    },
  ])
})

test('reads images, documents and what only this wire has in a result', () => {
  const content = [
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } },
    { type: 'document', title: 'T', source: { type: 'text', media_type: 'text/plain', data: 'D' } },
    { type: 'document', source: { type: 'content', content: [{ type: 'text', text: 'C' }] } },
    {
      type: 'search_result',
      title: 'S',
      source: 'http://s',
      content: [{ type: 'text', text: 'R' }],
    },
    { type: 'tool_reference', tool_name: 'Grep' },
  ]
  const result = { type: 'tool_result', tool_use_id: 't', content, is_error: true }
  const { turns } = read({ messages: [{ role: 'user', content: [result] }] })
  expect(turns[0]?.parts).toMatchObject([
    {
      isError: true,
      parts: [
        { type: 'image', source: { type: 'inline', mediaType: 'image/png', data: 'aGk=' } },
        { type: 'document', title: 'T', source: { type: 'text', text: 'D' } },
        { type: 'document', source: { type: 'text', text: 'C' } },
        { type: 'opaque', what: 'search_result', text: 'S\nhttp://s\nR' },
        { type: 'opaque', what: 'tool_reference', text: expect.stringContaining('Grep') },
      ],
    },
  ])
})

test('keeps what the provider ran, and what nobody knows yet, as it is', () => {
  const blocks = [
    { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} },
    { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] },
    { type: 'brand_new', x: 1 },
  ]
  expect(read(assistant(...blocks)).turns[1]?.parts).toEqual([
    { type: 'opaque', what: 'server_tool_use web_search', vendor: blocks[0] },
    { type: 'opaque', what: 'web_search_tool_result', vendor: blocks[1] },
    { type: 'opaque', what: 'brand_new', vendor: blocks[2] },
  ])
})

test('knows what the vendor’s own tools take, and which the provider runs', () => {
  const { tools } = read({
    tools: [
      { type: 'bash_20250124', name: 'bash' },
      { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool', max_characters: 9 },
      { type: 'memory_20250818', name: 'memory' },
      { type: 'computer_20251124', name: 'computer', display_width_px: 1 },
      { type: 'web_search_20250305', name: 'web_search' },
      { type: 'mcp_toolset', mcp_server_name: 'x' },
    ],
  })
  expect(tools.map(({ type, name }) => `${type} ${name}`)).toEqual([
    'vendor bash',
    'vendor str_replace_based_edit_tool',
    'vendor memory',
    'vendor computer',
    'server web_search',
    'server mcp_toolset',
  ])
  expect(tools[0]).toMatchObject({ schema: { properties: { command: { type: 'string' } } } })
})

test('makes a tool of every member of a toolset that is not switched off', () => {
  const { tools, turns } = read({
    tools: [{ type: 'computer_toolset_20260801', configs: { zoom: { enabled: false } } }],
    ...assistant({ type: 'tool_use', id: 't', name: 'key', toolset_name: 'computer', input: {} }),
  })
  expect(tools).toContainEqual(expect.objectContaining({ name: 'key', namespace: 'computer' }))
  expect(tools).not.toContainEqual(expect.objectContaining({ name: 'zoom' }))
  expect(turns[1]?.parts).toMatchObject([{ name: 'key', namespace: 'computer' }])
})

test.each([
  [{ type: 'auto' }, { type: 'auto' }, undefined],
  [{ type: 'any', disable_parallel_tool_use: true }, { type: 'required' }, false],
  [
    { type: 'tool', name: 'x', disable_parallel_tool_use: false },
    { type: 'tool', name: 'x' },
    true,
  ],
  [{ type: 'none' }, { type: 'none' }, undefined],
])('reads the tool choice %j', (tool_choice, toolChoice, isParallel) => {
  expect(read({ tool_choice })).toMatchObject({ toolChoice, isParallel })
})

test.each([
  [{ thinking: { type: 'enabled', budget_tokens: 2000 } }, { mode: 'on', budget: 2000 }],
  [{ thinking: { type: 'adaptive', display: 'omitted' } }, { mode: 'adaptive', shows: false }],
  [{ thinking: { type: 'disabled' } }, { mode: 'off' }],
  [{ output_config: { effort: 'max' } }, { effort: 'max' }],
  [{}, {}],
])('reads how hard to think from %j', (body, reasoning) => {
  expect(read(body).reasoning).toEqual(reasoning)
})

test.each(['output_config', 'output_format'])('reads the form of the answer in %s', (field) => {
  const format = { type: 'json_schema', schema: { type: 'object' } }
  expect(read({ [field]: field === 'output_format' ? format : { format } }).format).toMatchObject({
    type: 'json-schema',
    schema: { type: 'object' },
  })
})

test('says which fields another wire must not leave out', () => {
  const { needed, lost } = read({
    container: 'c',
    mcp_servers: [{ type: 'url' }],
    fallbacks: 'default',
    compaction: { type: 'summarize' },
    context_management: { edits: [{ type: 'compact_20260112' }] },
    inference_geo: 'us',
    thread: { type: 'create' },
    speed: 'fast',
  })
  expect(needed.map(({ path }) => path)).toEqual([
    'container',
    'mcp_servers',
    'fallbacks',
    'compaction',
    'context_management.edits[0]',
  ])
  expect(lost).toEqual(['context_management', 'inference_geo', 'speed'])
})

test.each([
  ['model', { model: 7 }],
  ['messages', { messages: {} }],
  ['messages', { messages: [] }],
  ['messages[0]', { messages: ['x'] }],
  ['messages[0].role', { messages: [{ role: 'tool', content: '' }] }],
  ['messages[0].content', { messages: [{ role: 'user', content: 5 }] }],
  ['messages[0].content[0]', { messages: [{ role: 'user', content: [null] }] }],
  ['messages[1].content[0].text', assistant({ type: 'text', text: null })],
  ['messages[1].content[0].id', assistant({ type: 'tool_use', name: 'a', input: {} })],
  ['messages[1].content[0].input', assistant({ type: 'tool_use', id: 'a', name: 'a', input: [] })],
  ['messages[1].content[0].tool_use_id', assistant({ type: 'tool_result' })],
  ['system[0]', { system: [{ type: 'image' }] }],
  ['tools[1].name', { tools: [{ name: 'a' }, { input_schema: {} }] }],
  ['tools[0].input_schema', { tools: [{ name: 'a', input_schema: 'x' }] }],
  ['tool_choice', { tool_choice: 'auto' }],
  ['max_tokens', { max_tokens: 'many' }],
  ['output_config.format', { output_config: { format: 'json' } }],
])('names %s when that is what is wrong', (path, body) => {
  expect(problemOf(body)).toBe(path)
})

test('never throws, whatever takes the place of a value', () => {
  const odd = fc.oneof(
    fc.constantFrom(null, undefined, true, -1, '', 'x', [], {}, [null], [[]], { type: 'text' }),
    fc.jsonValue({ maxDepth: 2 }),
  )
  const whole = { ...CODE, tool_choice: { type: 'any' }, stop_sequences: ['a'], temperature: 1 }
  const property = fc.property(fc.nat(), odd, (at, value) => {
    const result = readRequest(replaceAt(whole, at % 120, value))
    if (!result.ok) expect(result.problem.message).toMatch(/^[A-Z].{5,}/)
  })
  fc.assert(property, { numRuns: 1500 })
})

test('does not fall over an input that is nested without end', () => {
  let input: JsonObject = {}
  for (let i = 0; i < 20_000; i++) input = { a: input }
  const path = problemOf(assistant({ type: 'tool_use', id: 'a', name: 'a', input }))
  expect([undefined, 'messages[1].content[0].input']).toContain(path)
})

/** The body with the nth of its values, counted from the outside in, replaced. */
function replaceAt(body: JsonObject, at: number, value: unknown): JsonObject {
  const copy = structuredClone(body) as Record<string, unknown>
  const places: [Record<string, unknown>, string][] = []
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    const fields = node as Record<string, unknown>
    for (const key of Object.keys(fields)) places.push([fields, key])
    for (const key of Object.keys(fields)) visit(fields[key])
  }
  visit(copy)
  const [fields, key] = places[at % places.length] ?? [copy, 'model']
  fields[key] = value
  return copy
}
