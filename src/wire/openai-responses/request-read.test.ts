import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../base/json.ts'
import type { ModelRequest } from '../../request/request.ts'
import { seal } from '../envelope.ts'
import { readRequest } from './request-read.ts'

function read(fields: JsonObject): ModelRequest {
  const result = readRequest({ model: 'gpt-5.5', input: 'Hello', ...fields })
  if (!result.ok) throw new Error(`${result.problem.path}: ${result.problem.message}`)
  return result.request
}

function problemOf(fields: JsonObject): string | undefined {
  const result = readRequest({ model: 'gpt-5.5', input: 'Hello', ...fields })
  return result.ok ? undefined : result.problem.path
}

const user = (text: string): JsonObject => ({ type: 'message', role: 'user', content: text })

describe('a conversation', () => {
  test('a text is one user turn', () => {
    expect(read({}).turns).toMatchObject([
      { role: 'user', parts: [{ type: 'text', text: 'Hello' }] },
    ])
  })

  test('instructions and leading developer messages stand before it, instructions first', () => {
    const { system, turns } = read({
      instructions: 'Be brief.',
      input: [
        { role: 'developer', content: 'Base prompt' },
        { type: 'message', role: 'system', content: [{ type: 'input_text', text: 'More' }] },
        user('Hi'),
        { role: 'developer', content: 'Later' },
      ],
    })
    expect(system.map(({ text }) => text)).toEqual(['Be brief.', 'Base prompt', 'More'])
    expect(turns.map(({ role }) => role)).toEqual(['user', 'system'])
  })

  test('items of the assistant in a row are one turn in their order, and outputs one of the user', () => {
    const { turns } = read({
      input: [
        user('Go'),
        { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAA' },
        { role: 'assistant', content: [{ type: 'output_text', text: 'Running.' }] },
        { type: 'function_call', call_id: 'call_1', name: 'exec', arguments: '{"cmd":"ls"}' },
        { type: 'custom_tool_call', call_id: 'call_2', name: 'apply_patch', input: '*** Begin' },
        { type: 'function_call_output', call_id: 'call_1', output: 'a\nb' },
        {
          type: 'custom_tool_call_output',
          call_id: 'call_2',
          output: [{ type: 'input_text', text: 'Done' }],
        },
        user('Thanks'),
      ],
    })
    expect(turns.map(({ role, parts }) => [role, parts.map(({ type }) => type)])).toEqual([
      ['user', ['text']],
      ['assistant', ['thinking', 'text', 'tool-call', 'tool-call']],
      ['user', ['tool-result', 'tool-result']],
      ['user', ['text']],
    ])
    expect(turns[1]?.parts[3]).toMatchObject({ dialect: 'custom', arguments: '*** Begin' })
    expect(turns[2]?.parts[1]).toMatchObject({ dialect: 'custom', callId: 'call_2' })
  })

  test.each([
    ['local_shell_call', { action: { type: 'exec', command: ['ls'] } }, 'local-shell'],
    ['shell_call', { action: { commands: ['ls'] } }, 'shell'],
    ['apply_patch_call', { operation: { type: 'delete_file', path: 'a' } }, 'apply-patch'],
    ['computer_call', { action: { type: 'screenshot' } }, 'computer'],
  ])('a %s is a tool call whose arguments are its action', (type, fields, dialect) => {
    const { turns } = read({
      input: [
        { type, id: 'it_1', call_id: 'call_1', ...fields },
        { type: `${type}_output`, call_id: 'call_1', output: '' },
      ],
    })
    expect(turns[0]?.parts[0]).toMatchObject({
      type: 'tool-call',
      id: 'call_1',
      dialect,
      arguments: JSON.stringify(Object.values(fields)[0]),
    })
    expect(turns[1]?.parts[0]).toMatchObject({ type: 'tool-result', callId: 'call_1', dialect })
  })

  test('an output of the local shell may name the item instead of the call', () => {
    const { turns } = read({
      input: [
        { type: 'local_shell_call', id: 'lsh_1', call_id: 'call_1', action: { command: ['ls'] } },
        { type: 'local_shell_call_output', id: 'lsh_1', output: 'a' },
      ],
    })
    expect(turns[1]?.parts[0]).toMatchObject({ callId: 'call_1' })
  })

  test('what commands printed and how they ended is put into words', () => {
    const run = { stdout: 'a\n', stderr: 'oh', outcome: { type: 'exit', exit_code: 2 } }
    const { turns } = read({
      input: [{ type: 'shell_call_output', call_id: 'c', output: [run] }],
    })
    expect(turns[0]?.parts[0]).toMatchObject({ parts: [{ text: 'a\n\noh\nExit code: 2' }] })
  })

  test('an output counts as one of the kind that its call is', () => {
    const { turns } = read({
      input: [
        { type: 'local_shell_call', call_id: 'c', action: { command: ['ls'] } },
        { type: 'function_call_output', call_id: 'c', output: 'a' },
      ],
    })
    expect(turns[1]?.parts[0]).toMatchObject({ dialect: 'local-shell' })
  })

  test('an output that begins as we write errors is an error, and its words stay', () => {
    const output = 'Error: no such file'
    const { turns } = read({ input: [{ type: 'function_call_output', call_id: 'c', output }] })
    expect(turns[0]?.parts[0]).toMatchObject({ isError: true, parts: [{ text: output }] })
  })

  test('images and files keep where their bytes are', () => {
    const { turns } = read({
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'low' },
            { type: 'input_image', image_url: 'https://example.com/a.png' },
            { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,BB' },
            { type: 'input_file', filename: 'a.txt', file_data: 'data:text/plain;base64,SGk=' },
            { type: 'input_file', file_id: 'file_1' },
          ],
        },
      ],
    })
    expect(turns[0]?.parts).toMatchObject([
      { source: { type: 'inline', mediaType: 'image/png', data: 'AAAA' }, detail: 'low' },
      { source: { type: 'url', url: 'https://example.com/a.png' } },
      { filename: 'a.pdf', source: { type: 'inline', mediaType: 'application/pdf' } },
      { source: { type: 'text', text: 'Hi' } },
      { source: { type: 'file', id: 'file_1' } },
    ])
  })

  test('thinking in our envelope is opened, and other thinking is the vendor’s own', () => {
    const envelope = seal({
      wire: 'anthropic-messages',
      issuer: 'claude',
      text: 'Hm',
      signature: 'sig',
    })
    const native = { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Oh' }] }
    const { turns } = read({
      input: [{ type: 'reasoning', summary: [], encrypted_content: envelope }, native],
    })
    expect(turns[0]?.parts).toMatchObject([
      {
        text: 'Hm',
        seal: { wire: 'anthropic-messages', issuer: 'claude', signature: 'sig' },
      },
      { text: 'Oh', seal: { wire: 'openai-responses', item: native } },
    ])
  })

  test('what only this provider knows is carried as it is', () => {
    const items = [
      { type: 'web_search_call', id: 'ws_1', status: 'completed' },
      { type: 'item_reference', id: 'rs_1' },
      { type: 'mcp_call', name: 'find', arguments: '{}', output: 'found' },
    ]
    const { turns } = read({ input: items })
    expect(turns[0]?.parts).toMatchObject([
      { type: 'opaque', what: 'web_search_call', vendor: items[0] },
      { type: 'opaque', what: 'item_reference' },
      { type: 'opaque', what: 'mcp_call', text: expect.stringContaining('found') },
    ])
  })

  test('a message of another agent is one of the user, with its author', () => {
    const content = [{ type: 'input_text', text: 'Ready' }]
    const { turns } = read({ input: [{ type: 'agent_message', author: '/root', content }] })
    expect(turns).toMatchObject([
      { role: 'user', parts: [{ text: 'Message from agent "/root":' }, { text: 'Ready' }] },
    ])
  })

  test('the last word on effort counts', () => {
    const { reasoning } = read({
      reasoning: { effort: 'low', summary: 'auto' },
      input: [user('Hi'), { type: 'configuration_update', reasoning: { effort: 'high' } }],
    })
    expect(reasoning).toEqual({ effort: 'high', shows: true })
  })
})

describe('tools', () => {
  test('tools that come as an item join the others, and a namespace comes apart', () => {
    const exec = { type: 'custom', name: 'exec', format: { type: 'text' } }
    const { tools, turns } = read({
      tools: [{ type: 'function', name: 'a', parameters: { type: 'object' }, strict: false }],
      input: [
        {
          type: 'additional_tools',
          role: 'developer',
          tools: [{ type: 'namespace', name: 'functions', description: 'd', tools: [exec] }],
        },
        { role: 'developer', content: 'Base' },
        user('Hi'),
      ],
    })
    expect(tools).toMatchObject([
      { type: 'function', name: 'a', isStrict: false },
      { type: 'custom', name: 'exec', namespace: 'functions', grammar: undefined },
    ])
    expect(turns).toHaveLength(1)
  })

  test('a grammar is kept, the vendor’s own tools have a schema, and those it runs are its own', () => {
    const { tools } = read({
      tools: [
        {
          type: 'custom',
          name: 'apply_patch',
          format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' },
        },
        { type: 'local_shell' },
        { type: 'shell', environment: { type: 'container_auto' } },
        { type: 'tool_search', execution: 'client' },
        { type: 'web_search' },
      ],
    })
    expect(tools).toMatchObject([
      { type: 'custom', grammar: { syntax: 'lark', definition: 'start: "x"' } },
      { type: 'vendor', dialect: 'local-shell', schema: { type: 'object' } },
      { type: 'server', kind: 'shell' },
      { type: 'server', kind: 'tool_search' },
      { type: 'server', kind: 'web_search', name: 'web_search' },
    ])
  })

  test.each([
    ['auto', { type: 'auto' }],
    [
      { type: 'function', name: 'wait' },
      { type: 'tool', name: 'wait', namespace: 'clock' },
    ],
    [{ type: 'web_search' }, { type: 'tool', name: 'web_search' }],
    [
      { type: 'allowed_tools', mode: 'required', tools: [{ type: 'namespace', name: 'clock' }] },
      { type: 'allowed', isRequired: true, tools: [{ name: 'wait', namespace: 'clock' }] },
    ],
  ])('the choice %j names the tools that are meant', (tool_choice, expected) => {
    const wait = { type: 'function', name: 'wait', parameters: null }
    const tools = [{ type: 'namespace', name: 'clock', tools: [wait] }, { type: 'web_search' }]
    expect(read({ tools, tool_choice }).toolChoice).toEqual(expected)
  })
})

describe('settings', () => {
  test('what Codex sends on every request is neither lost nor refused', () => {
    const { lost, needed, cache, isStored, verbosity, isParallel } = read({
      tools: [{ type: 'tool_search', execution: 'client', parameters: {} }],
      tool_choice: 'auto',
      parallel_tool_calls: true,
      reasoning: { effort: 'medium' },
      store: false,
      stream: true,
      include: ['reasoning.encrypted_content'],
      prompt_cache_key: 'thread',
      text: { verbosity: 'low' },
      client_metadata: { 'x-codex-installation-id': 'i' },
    })
    expect({ lost, needed }).toEqual({ lost: [], needed: [] })
    expect({ key: cache.key, isStored, verbosity, isParallel }).toEqual({
      key: 'thread',
      isStored: false,
      verbosity: 'low',
      isParallel: true,
    })
  })

  test('fields that another wire cannot keep are named', () => {
    const { lost, needed } = read({
      reasoning: { context: 'all_turns', mode: 'pro' },
      truncation: 'auto',
      background: true,
      prompt: { id: 'pmpt_1' },
      input: [{ type: 'compaction', encrypted_content: 'x' }],
    })
    expect(lost).toEqual(['truncation', 'reasoning.context', 'reasoning.mode'])
    expect(needed.map(({ path }) => path)).toEqual(['input[0]', 'prompt', 'background'])
  })

  test('fields that nobody knows are named, hints and empty ones are not', () => {
    const { lost } = read({
      stop: ['END'],
      seed: 7,
      top_k: 5,
      totally_new: { a: 1 },
      image: null,
      extra: {},
      stream_options: { include_obfuscation: false },
      prompt_cache_retention: '24h',
      prompt_cache_options: { ttl: '30m' },
      max_tool_calls: 3,
      metadata: { a: 'b' },
    })
    expect(lost).toEqual(['stop', 'seed', 'top_k', 'totally_new'])
  })

  test('a schema, a limit, sampling, logprobs and the user are read', () => {
    const schema = { type: 'object' }
    expect(
      read({
        text: { format: { type: 'json_schema', name: 'n', schema, strict: true } },
        max_output_tokens: 100,
        temperature: 0,
        top_p: 0.5,
        include: ['message.output_text.logprobs'],
        top_logprobs: 3,
        user: 'u',
        metadata: { a: 'b', c: 1 },
      }),
    ).toMatchObject({
      format: { type: 'json-schema', name: 'n', schema, isStrict: true },
      maxTokens: 100,
      sampling: { temperature: 0, topP: 0.5 },
      logprobs: 3,
      user: 'u',
      metadata: { a: 'b' },
    })
  })
})

describe('bad input', () => {
  test.each<[JsonObject, string]>([
    [{ model: 7 }, 'model'],
    [{ input: 7 }, 'input'],
    [{ input: undefined }, 'input'],
    [{ input: [null] }, 'input[0]'],
    [{ input: [{}] }, 'input[0]'],
    [{ input: [{ role: 'tool', content: 'x' }] }, 'input[0].role'],
    [{ input: [{ role: 'user', content: 7 }] }, 'input[0].content'],
    [{ input: [{ role: 'user', content: [7] }] }, 'input[0].content[0]'],
    [{ input: [{ role: 'user', content: [{ type: 'input_text' }] }] }, 'input[0].content[0].text'],
    [{ input: [{ type: 'function_call_output', output: 'x' }] }, 'input[0].call_id'],
    [{ tools: {} }, 'tools'],
    [{ tools: [{ type: 'function' }] }, 'tools[0].name'],
    [{ tools: [{ type: 'function', name: 'a', parameters: 'x' }] }, 'tools[0].parameters'],
    [{ tool_choice: 'maybe' }, 'tool_choice'],
    [{ text: { format: { type: 'json_schema' } } }, 'text.format.schema'],
  ])('%j is a problem at %s', (fields, path) => {
    expect(problemOf(fields)).toBe(path)
  })

  test('a request that leaves its conversation to the provider has none here', () => {
    expect(problemOf({ input: undefined, previous_response_id: 'resp_1' })).toBeUndefined()
  })

  test('an output that is nested too deep is a problem', () => {
    let output: unknown = {}
    for (let depth = 0; depth < 50_000; depth++) output = { output }
    expect(problemOf({ input: [{ type: 'function_call_output', call_id: 'c', output }] })).toBe(
      'input',
    )
  })

  test('no JSON makes it throw', () => {
    const types = ['message', 'reasoning', 'function_call', 'shell_call_output', 'namespace', 'x']
    const key = fc.constantFrom(
      ...'type role content output tools name call_id action format input text'.split(' '),
      ...'reasoning summary tool_choice encrypted_content'.split(' '),
    )
    const { json } = fc.letrec((tie) => ({
      json: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom<unknown>(null, 0, '', true, 'user', 'sluice1.e30', ...types),
        fc.array(tie('json'), { maxLength: 3 }),
        fc.dictionary(key, tie('json'), { maxKeys: 5 }),
      ),
    }))
    const neverThrows = fc.property(json, json, json, (input, tools, rest) => {
      const fields = typeof rest === 'object' && rest !== null ? rest : {}
      readRequest({ model: 'm', ...fields, input: [input], tools: [tools] })
      readRequest({ model: 'm', input: 'x', ...fields })
    })
    fc.assert(neverThrows, { numRuns: 300 })
  })

  test('no wrong value anywhere in a real request makes it throw', () => {
    const paths = pathsOf(CODEX)
    const wrong = fc.constantFrom<unknown>(null, 0, '', 'x', true, [], [null], {}, { type: 'x' })
    const neverThrows = fc.property(fc.constantFrom(...paths), wrong, (path, value) => {
      const result = readRequest(replace(CODEX, path, value) as JsonObject)
      if (!result.ok) expect(result.problem.message).toMatch(/^Cannot /)
    })
    fc.assert(neverThrows, { numRuns: 300 })
  })
})

/** As Codex sends it, with one of everything. */
const CODEX: JsonObject = {
  model: 'gpt-6',
  stream: true,
  store: false,
  include: ['reasoning.encrypted_content'],
  tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'a' }] },
  reasoning: { effort: 'low', context: 'all_turns', summary: 'auto' },
  text: { verbosity: 'low', format: { type: 'json_schema', name: 'n', schema: {} } },
  tools: [{ type: 'function', name: 'a', parameters: {}, strict: false }, { type: 'local_shell' }],
  input: [
    {
      type: 'additional_tools',
      tools: [{ type: 'namespace', name: 'n', tools: [{ type: 'custom', name: 'exec' }] }],
    },
    { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Base' }] },
    {
      role: 'user',
      content: [
        { type: 'input_image', image_url: 'data:image/png;base64,AA' },
        { type: 'input_file', filename: 'a.txt', file_data: 'data:text/plain;base64,AA' },
      ],
    },
    {
      type: 'reasoning',
      summary: [{ type: 'summary_text', text: 'Hm' }],
      encrypted_content: seal({ wire: 'anthropic-messages', text: 'Hm', signature: 's' }),
    },
    { type: 'custom_tool_call', call_id: 'c1', name: 'exec', namespace: 'n', input: 'x' },
    { type: 'shell_call', call_id: 'c2', action: { commands: ['ls'] } },
    { type: 'computer_call', call_id: 'c3', actions: [{ type: 'wait' }] },
    { type: 'custom_tool_call_output', call_id: 'c1', output: [{ type: 'input_text', text: 'y' }] },
    {
      type: 'shell_call_output',
      call_id: 'c2',
      output: [{ stdout: '', stderr: '', outcome: { type: 'exit', exit_code: 0 } }],
    },
    {
      type: 'computer_call_output',
      call_id: 'c3',
      output: { type: 'computer_screenshot', image_url: 'https://example.com/a.png' },
    },
    { type: 'agent_message', author: 'a', content: [{ type: 'input_text', text: 'z' }] },
    { type: 'mcp_call', name: 'find', arguments: '{}', output: 'found' },
  ],
}

type Path = readonly (string | number)[]

const pathsOf = (value: unknown, at: Path = []): Path[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, inner]) => [
        [...at, key],
        ...pathsOf(inner, [...at, key]),
      ])
    : []

function replace(value: unknown, [key, ...rest]: Path, by: unknown): unknown {
  if (key === undefined) return by
  const copy = Array.isArray(value) ? [...value] : { ...(value as JsonObject) }
  Object.assign(copy, { [key]: replace((copy as JsonObject)[key], rest, by) })
  return copy
}
