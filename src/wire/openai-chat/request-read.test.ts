import { expect, test } from 'vitest'
import type { JsonObject } from '../../base/json.ts'
import type { ModelRequest, RequestProblem } from '../../request/request.ts'
import { readRequest, toEncoderOptions } from './request-read.ts'

function read(fields: JsonObject): ModelRequest {
  const made = readRequest({ model: 'm', messages: [{ role: 'user', content: 'hi' }], ...fields })
  if (!made.ok) expect.fail(`${made.problem.path}: ${made.problem.message}`)
  return made.request
}

function problemOf(fields: JsonObject): RequestProblem | undefined {
  const made = readRequest({ model: 'm', messages: [{ role: 'user', content: 'hi' }], ...fields })
  return made.ok ? undefined : made.problem
}

const parts = (messages: unknown[]): unknown[] =>
  read({ messages }).turns.flatMap((turn) => turn.parts.map(({ vendor: _vendor, ...part }) => part))

test('instructions before the conversation stand apart, and later ones stay in their place', () => {
  const request = read({
    messages: [
      { role: 'system', content: 'one' },
      { role: 'developer', content: [{ type: 'text', text: 'two' }] },
      { role: 'user', content: 'hi' },
      { role: 'system', content: 'three' },
    ],
  })
  expect(request.system.map((part) => part.text)).toEqual(['one', 'two'])
  expect(request.turns.map((turn) => turn.role)).toEqual(['user', 'system'])
})

test('a picture in a data URL is inline, any other is an address', () => {
  const image = (url: string): JsonObject => ({ type: 'image_url', image_url: { url } })
  expect(
    parts([
      {
        role: 'user',
        content: [image('data:image/PNG;base64,AAAA'), image('https://x.y/z'), image('data:,a')],
      },
    ]),
  ).toEqual([
    { type: 'image', source: { type: 'inline', mediaType: 'image/png', data: 'AAAA' } },
    { type: 'image', source: { type: 'url', url: 'https://x.y/z' } },
    { type: 'image', source: { type: 'url', url: 'data:,a' } },
  ])
})

test('files and sound are read, and what is new is kept as it is', () => {
  const video = { type: 'video_url', video_url: { url: 'https://x.y/z' } }
  expect(
    parts([
      {
        role: 'user',
        content: [
          {
            type: 'file',
            file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AA' },
          },
          { type: 'file', file: { file_id: 'file-1' } },
          { type: 'input_audio', input_audio: { data: 'AA', format: 'mp3' } },
        ],
      },
    ]),
  ).toMatchObject([
    { type: 'document', filename: 'a.pdf', source: { mediaType: 'application/pdf', data: 'AA' } },
    { type: 'document', source: { type: 'file', id: 'file-1' } },
    { type: 'audio', data: 'AA', format: 'mp3' },
  ])
  const opaque = read({ messages: [{ role: 'user', content: [video] }] }).turns[0]?.parts[0]
  expect(opaque).toEqual({ type: 'opaque', what: 'video_url', vendor: video })
})

test('an answer is read as thinking, words, calls', () => {
  expect(
    parts([
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
          { type: 'text', text: 'So' },
        ],
        refusal: 'no',
        tool_calls: [
          { id: 'a', type: 'function', function: { name: 'f', arguments: '' } },
          { id: 'b', type: 'custom', custom: { name: 'g', input: 'free' } },
        ],
      },
      { role: 'tool', tool_call_id: 'b', content: [{ type: 'text', text: 'done' }] },
    ]),
  ).toEqual([
    { type: 'thinking', text: 'hm', seal: undefined },
    { type: 'text', text: 'So' },
    { type: 'refusal', text: 'no' },
    { type: 'tool-call', id: 'a', name: 'f', dialect: 'function', arguments: '' },
    { type: 'tool-call', id: 'b', name: 'g', dialect: 'custom', arguments: 'free' },
    {
      type: 'tool-result',
      callId: 'b',
      dialect: 'custom',
      isError: false,
      parts: [expect.objectContaining({ type: 'text', text: 'done' })],
    },
  ])
})

test('what a call had beside its own fields is kept with it', () => {
  const tool_calls = [{ id: 'a', function: { name: 'f' }, extra_content: { google: {} } }]
  const [turn] = read({ messages: [{ role: 'assistant', tool_calls }] }).turns
  expect(turn?.parts[0]?.vendor).toBe(tool_calls[0])
})

test('calls without an id are answered by name and order', () => {
  const made = parts([
    { role: 'assistant', function_call: { name: 'f', arguments: '{}' } },
    { role: 'function', name: 'f', content: 'one' },
    {
      role: 'assistant',
      tool_calls: [{ id: '', function: { name: 'g' } }, { function: { name: 'f' } }],
    },
    { role: 'tool', tool_call_id: '', name: 'f', content: 'two' },
    { role: 'tool', content: 'three' },
  ]) as { id?: string; callId?: string }[]
  const [f, first, g, again, second, third] = made
  expect(first?.callId).toBe(f?.id)
  expect(second?.callId).toBe(again?.id)
  expect(third?.callId).toBe(g?.id)
  expect(new Set([f?.id, g?.id, again?.id]).size).toBe(3)
})

test('a result that begins as we write errors is one, and its words stay', () => {
  const [, made] = parts([
    { role: 'assistant', tool_calls: [{ id: 'a', function: { name: 'f' } }] },
    { role: 'tool', tool_call_id: 'a', content: 'Error: no such file' },
  ])
  expect(made).toMatchObject({ isError: true, parts: [{ text: 'Error: no such file' }] })
})

test('several people are told apart by their names, a single one is not named', () => {
  const ann = { role: 'user', name: 'ann', content: 'hi' }
  const bob = { role: 'user', name: 'bob', content: [{ type: 'text', text: 'ho' }] }
  expect(parts([ann, ann])).toMatchObject([{ text: 'hi' }, { text: 'hi' }])
  expect(parts([ann, bob])).toMatchObject([{ text: 'ann: hi' }, { text: 'bob: ho' }])
})

test('tools of all forms are read', () => {
  const grammar = { syntax: 'lark', definition: 'start: /a/' }
  const { tools } = read({
    tools: [
      { type: 'function', function: { name: 'f', description: 'd', parameters: {}, strict: true } },
      { type: 'custom', custom: { name: 'g', format: { type: 'grammar', grammar } } },
      { type: 'web_search' },
    ],
    functions: [{ name: 'h' }],
  })
  expect(tools).toMatchObject([
    { type: 'function', name: 'f', description: 'd', schema: {}, isStrict: true },
    { type: 'custom', name: 'g', grammar },
    { type: 'server', kind: 'web_search' },
    { type: 'function', name: 'h', schema: undefined, isStrict: undefined },
  ])
})

test.each([
  ['required', { type: 'required' }],
  ['any', { type: 'required' }],
  [
    { type: 'function', function: { name: 'f' } },
    { type: 'tool', name: 'f' },
  ],
  [
    { type: 'custom', custom: { name: 'f' } },
    { type: 'tool', name: 'f' },
  ],
  [
    {
      type: 'allowed_tools',
      allowed_tools: { mode: 'required', tools: [{ type: 'function', function: { name: 'f' } }] },
    },
    { type: 'allowed', isRequired: true, tools: [{ name: 'f' }] },
  ],
])('the choice %j is read', (tool_choice, wanted) => {
  expect(read({ tool_choice }).toolChoice).toEqual(wanted)
})

test('settings are read, and nulls are nothing', () => {
  expect(
    read({
      max_tokens: 5,
      max_completion_tokens: 7,
      stop: 'END',
      temperature: 0,
      frequency_penalty: 0,
      presence_penalty: null,
      reasoning_effort: 'xhigh',
      verbosity: 'low',
      user: 'u',
      safety_identifier: 's',
      prompt_cache_key: 'k',
      logprobs: true,
      parallel_tool_calls: false,
      response_format: { type: 'json_schema', json_schema: { name: 'n', schema: {} } },
      n: 1,
      prediction: {},
      stream_options: null,
    }),
  ).toMatchObject({
    maxTokens: 7,
    stop: ['END'],
    sampling: { temperature: 0 },
    reasoning: { effort: 'xhigh' },
    verbosity: 'low',
    user: 's',
    cache: { key: 'k' },
    logprobs: 0,
    isParallel: false,
    format: { type: 'json-schema', name: 'n', schema: {}, isStrict: undefined },
    lost: [],
    needed: [],
  })
})

test.each([
  [{ thinking: { type: 'disabled' } }, { mode: 'off' }],
  [{ reasoning: { max_tokens: 500, exclude: true } }, { mode: 'on', budget: 500, shows: false }],
  [{ enable_thinking: true }, { mode: 'on' }],
])('the switch of a compatible server %j is read', (fields, wanted) => {
  expect(read(fields).reasoning).toEqual(wanted)
})

test('what an answer would miss is needed, what it would not is lost', () => {
  const request = read({
    n: 2,
    modalities: ['text', 'audio'],
    moderation: { output: { mode: 'block' } },
    web_search_options: {},
    min_p: 0.1,
    reasoning_effort: 'ultra',
  })
  expect(request.needed.map(({ path }) => path)).toEqual(['n', 'modalities', 'moderation'])
  expect(request.lost).toEqual(['reasoning_effort', 'moderation', 'web_search_options', 'min_p'])
})

test.each([
  [{ model: 5 }, 'model'],
  [{ messages: 'hi' }, 'messages'],
  [{ messages: [] }, 'messages'],
  [{ messages: [null] }, 'messages[0]'],
  [{ messages: [{ role: 'king' }] }, 'messages[0].role'],
  [{ messages: [{ role: 'user', content: 5 }] }, 'messages[0].content'],
  [{ messages: [{ role: 'user', content: [5] }] }, 'messages[0].content[0]'],
  [
    { messages: [{ role: 'assistant', tool_calls: [{}] }] },
    'messages[0].tool_calls[0].function.name',
  ],
  [{ messages: [{ role: 'tool', content: '' }] }, 'messages[0].tool_call_id'],
  [{ temperature: 'hot' }, 'temperature'],
  [{ max_tokens: 0.5 }, 'max_tokens'],
  [{ stop: [1] }, 'stop'],
  [{ tools: [{ type: 'function', function: {} }] }, 'tools[0].function.name'],
  [{ tools: [{ function: { name: 'f', parameters: 'x' } }] }, 'tools[0].function.parameters'],
  [{ tool_choice: 'some' }, 'tool_choice'],
  [{ response_format: { type: 'json_schema' } }, 'response_format.json_schema.schema'],
])('%j is a problem of its own field', (fields, path) => {
  const problem = problemOf(fields)
  expect(problem?.path).toBe(path)
  expect(problem?.message).toMatch(/^[A-Z].*[^.]$/)
})

test('how the answer is wanted is in the body', () => {
  expect(toEncoderOptions({})).toEqual({ includeUsage: false, customTools: false })
  expect(
    toEncoderOptions({ stream_options: { include_usage: true }, tools: [{ type: 'custom' }] }),
  ).toEqual({ includeUsage: true, customTools: true })
})
