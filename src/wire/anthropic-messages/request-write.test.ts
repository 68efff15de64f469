import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../base/json.ts'
import type { Part, ThinkingPart } from '../../request/part.ts'
import { toProfile } from '../../request/profile.ts'
import type { ModelRequest, Turn } from '../../request/request.ts'
import type { WriteOptions, WrittenRequest } from '../../request/write.ts'
import { validateAnthropic } from '../../../test/support/api-rules-anthropic.ts'
import { writeRequest } from './request-write.ts'

const ADAPTIVE = 'claude-opus-5'
const MANUAL = 'claude-sonnet-4-5'
const OLD = 'claude-3-5-sonnet-latest'

const EMPTY: ModelRequest = {
  source: { wire: 'openai-chat', body: {} },
  model: 'gpt-5.5',
  isStream: true,
  system: [],
  turns: [{ role: 'user', parts: [{ type: 'text', text: 'Hi' }] }],
  tools: [],
  toolChoice: undefined,
  isParallel: undefined,
  maxTokens: undefined,
  stop: [],
  sampling: {},
  reasoning: {},
  format: undefined,
  verbosity: undefined,
  user: undefined,
  metadata: undefined,
  cache: { key: undefined, mark: undefined },
  serviceTier: undefined,
  isStored: undefined,
  logprobs: undefined,
  lost: [],
  needed: [],
}

function write(
  request: Partial<ModelRequest>,
  model = ADAPTIVE,
  options: Partial<WriteOptions> = {},
): WrittenRequest {
  const profile = toProfile({ wire: 'anthropic-messages', model })
  return writeRequest({ ...EMPTY, ...request }, { model, isStream: true, profile, ...options })
}

/** As much of a body as is looked at. */
interface Shown {
  readonly messages: readonly { readonly role: string; readonly content: readonly JsonObject[] }[]
  readonly tools: readonly JsonObject[]
  readonly system: readonly JsonObject[]
  readonly thinking: JsonObject
  readonly output_config: JsonObject
  readonly metadata: { readonly user_id: string }
  readonly tool_choice: unknown
  readonly cache_control: unknown
}

/** The body, which the API's rules find nothing wrong with. */
function bodyOf(...args: Parameters<typeof write>): Shown {
  const written = write(...args)
  if (!written.ok) throw new Error(`${written.problem.path}: ${written.problem.message}`)
  expect(validateAnthropic(written.body, { headers: written.headers })).toEqual([])
  return written.body as unknown as Shown
}

const lossesOf = (...args: Parameters<typeof write>): string[] => {
  const written = write(...args)
  return written.ok ? written.losses.map(({ kind, what }) => `${kind}:${what}`) : []
}
const problemOf = (...args: Parameters<typeof write>) => {
  const written = write(...args)
  return written.ok ? undefined : written.problem
}

const text = (words: string): Part => ({ type: 'text', text: words })
const user = (...parts: Part[]): Turn => ({ role: 'user', parts })
const assistant = (...parts: Part[]): Turn => ({ role: 'assistant', parts })
const system = (...parts: Part[]): Turn => ({ role: 'system', parts })
const call = (id: string, more: object = {}): Part => ({
  type: 'tool-call',
  id,
  name: 'look',
  dialect: 'function',
  arguments: '{"a":1}',
  ...more,
})
const result = (callId: string, more: object = {}): Part => ({
  type: 'tool-result',
  callId,
  dialect: 'function',
  parts: [{ type: 'text', text: 'found' }],
  isError: false,
  ...more,
})
const thought = (signature: string, issuer?: string): ThinkingPart => ({
  type: 'thinking',
  text: `about ${signature}`,
  seal: { wire: 'anthropic-messages', signature, ...(issuer === undefined ? {} : { issuer }) },
})
const LOOK = {
  type: 'function',
  name: 'look',
  schema: { type: 'object', properties: {} },
  isStrict: undefined,
} as const

describe('turns', () => {
  test('puts results first and calls last, whatever stood around them', () => {
    const { messages } = bodyOf({
      turns: [
        user(text('Go')),
        assistant(call('c1'), text('Looking.')),
        assistant(call('c2')),
        user(text('By the way')),
        user(result('c2')),
        user(result('c1')),
      ],
    })
    expect(messages).toMatchObject([
      { role: 'user' },
      { content: [{ text: 'Looking.' }, { id: 'c1' }, { id: 'c2' }] },
      { content: [{ tool_use_id: 'c1' }, { tool_use_id: 'c2' }, { text: 'By the way' }] },
    ])
  })

  test('lets a conversation begin with the user, and leaves nothing empty in it', () => {
    const turns = [
      assistant(text('Welcome')),
      user(text(' ')),
      assistant(text('?')),
      user(text('Hi'), text('')),
    ]
    const { messages } = bodyOf({ turns })
    expect(messages).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content: [{ text: 'Welcome' }, { text: '?' }] },
      { role: 'user', content: [{ text: 'Hi' }] },
    ])
    expect(lossesOf({ turns })).toEqual(['approximated:messages[0]'])
    expect(
      bodyOf({ turns: [], system: [{ type: 'text', text: 'Be kind' }] }).messages,
    ).toHaveLength(1)
  })

  test('takes a last word of the assistant for the beginning of the answer where the model does', () => {
    const turns = [user(text('Hi')), assistant(text('Well, '))]
    expect(bodyOf({ turns }, MANUAL).messages[1]?.content[0]?.['text']).toBe('Well,')
    expect(bodyOf({ turns }, ADAPTIVE).messages).toHaveLength(3)
    expect(lossesOf({ turns }, ADAPTIVE)).toEqual(['approximated:messages.prefill'])
    const asked = { turns, reasoning: { effort: 'low' } } as const
    expect(bodyOf(asked, MANUAL).messages).toHaveLength(3)
  })

  test('says an instruction in the middle where it was said', () => {
    const turns = [
      user(text('Hi')),
      system(text('Be brief')),
      assistant(text('Hm')),
      user(text('?')),
    ]
    expect(bodyOf({ turns }).messages[1]).toMatchObject({ role: 'system' })
    expect(bodyOf({ turns }, MANUAL).messages[0]?.content[1]?.['text']).toBe(
      '<system-reminder>\nBe brief\n</system-reminder>',
    )
    expect(lossesOf({ turns }, MANUAL)).toEqual(['approximated:messages.system'])
  })

  test('tags an instruction that stands where the API wants none', () => {
    const turns = [user(text('Hi')), assistant(text('Hm')), system(text('New')), user(text('Go'))]
    expect(bodyOf({ turns }).messages[2]?.content).toMatchObject([
      { text: expect.stringContaining('New') },
      { text: 'Go' },
    ])
  })

  test('gives a call and its result the same legal id', () => {
    const id = `Bash:0|${'x'.repeat(80)}`
    const { messages } = bodyOf({
      turns: [user(text('Go')), assistant(call(id)), user(result(id))],
    })
    expect(messages[1]?.content[0]?.['id']).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
    expect(messages[2]?.content[0]?.['tool_use_id']).toBe(messages[1]?.content[0]?.['id'])
  })

  test('says free text as the one field of an object, and garbled arguments as they are', () => {
    const turns = (more: object) => [
      user(text('Go')),
      assistant(call('c', more)),
      user(result('c')),
    ]
    const inputOf = (more: object) =>
      bodyOf({ turns: turns(more) }).messages[1]?.content[0]?.['input']
    expect(inputOf({ dialect: 'custom', arguments: '*** Begin' })).toEqual({ input: '*** Begin' })
    expect(inputOf({ arguments: '' })).toEqual({})
    expect(inputOf({ arguments: '{"a' })).toEqual({ _raw: '{"a' })
    expect(inputOf({ arguments: '[1]' })).toEqual({ _raw: '[1]' })
  })

  test('flags an error only where it is words alone', () => {
    const image = {
      type: 'image',
      source: { type: 'inline', mediaType: 'image/png', data: 'aGk=' },
    }
    const resultOf = (more: object) =>
      bodyOf({ turns: [user(text('Go')), assistant(call('c')), user(result('c', more))] })
        .messages[2]?.content[0]
    expect(resultOf({ isError: true })).toMatchObject({ content: 'found', is_error: true })
    expect(resultOf({ isError: true, parts: [] })).toMatchObject({ content: 'Error' })
    expect(resultOf({ isError: true, parts: [image] })).not.toHaveProperty('is_error')
    expect(resultOf({ parts: [] })).not.toHaveProperty('content')
  })

  test('has a growing conversation begin with the same bytes', () => {
    const id = 'call:1'
    const turns = [
      user(text('Go')),
      system(text('Note')),
      assistant(thought('s1'), text('Yes'), call(id)),
      user(result(id)),
      assistant(text('Done')),
      system(text('Hurry')),
      user(text('More')),
      assistant(call(id)),
      user(result(id)),
    ]
    for (const model of [ADAPTIVE, MANUAL]) {
      const whole = JSON.stringify(bodyOf({ turns }, model).messages)
      // Whenever it is the model's turn to speak.
      for (const end of [2, 4, 7, 9]) {
        const part = JSON.stringify(bodyOf({ turns: turns.slice(0, end) }, model).messages)
        expect(whole.startsWith(part.slice(0, -1))).toBe(true)
      }
    }
  })
})

describe('thinking', () => {
  const loop = (...before: Part[]): Turn[] => [
    user(text('Go')),
    assistant(...before, call('c1')),
    user(result('c1')),
  ]

  test('hands back to the letter what this upstream sealed, and nothing of another', () => {
    const chat: Part = { type: 'thinking', text: 'x', seal: { wire: 'openai-chat' } }
    const redacted: Part = {
      type: 'thinking',
      text: '',
      seal: { wire: 'anthropic-messages', signature: 'R', isRedacted: true },
    }
    const unsealed: Part = { type: 'thinking', text: 'x', seal: undefined }
    const parts = [thought('S', 'one'), redacted, thought('T', 'two'), chat, unsealed]
    const body = bodyOf({ turns: loop(...parts) }, ADAPTIVE, { issuer: 'one' })
    expect(body.messages[1]?.content.slice(0, -1)).toEqual([
      { type: 'thinking', thinking: 'about S', signature: 'S' },
      { type: 'redacted_thinking', data: 'R' },
    ])
    expect(lossesOf({ turns: loop(...parts) })).toEqual([])
  })

  test('does not let thinking be the last word of a message', () => {
    const turns = [user(text('Go')), assistant(text('Yes'), thought('S')), user(text('More'))]
    expect(bodyOf({ turns }).messages[1]?.content).toEqual([{ type: 'text', text: 'Yes' }])
  })

  test('recalls what stood before a call, or does without thinking', () => {
    const asked = { turns: loop(), reasoning: { effort: 'high' } } as const
    const recall = (id: string) => (id === 'c1' ? [thought('S')] : undefined)
    const kept = bodyOf(asked, MANUAL, { recall })
    expect(kept.messages[1]?.content[0]).toMatchObject({ signature: 'S' })
    expect(kept.thinking).toEqual({ type: 'enabled', budget_tokens: 16_384 })
    expect(bodyOf(asked, MANUAL).thinking).toEqual({ type: 'disabled' })
    expect(lossesOf(asked, MANUAL)).toEqual(['dropped:reasoning_effort'])
    expect(bodyOf(asked, ADAPTIVE).thinking).toEqual({ type: 'adaptive' })
  })

  test('recalls each thought before its own call, and one that several calls share once', () => {
    const turns = [
      user(text('Hi')),
      assistant(text('So'), call('c1'), call('c2'), call('c3')),
      user(result('c1'), result('c2'), result('c3')),
    ]
    const recall = (id: string) => [thought(id === 'c3' ? 'T' : 'S')]
    const { messages } = bodyOf({ turns, reasoning: { effort: 'high' } }, MANUAL, { recall })
    expect(messages[1]?.content.map(({ type, signature, id }) => signature ?? id ?? type)).toEqual([
      'S',
      'text',
      'c1',
      'c2',
      'T',
      'c3',
    ])
  })

  test('thinks again once a turn without its thinking is over', () => {
    const turns = [...loop(), assistant(text('Done')), user(text('Next'))]
    const body = bodyOf({ turns, reasoning: { effort: 'low' } }, MANUAL)
    expect(body.thinking).toMatchObject({ type: 'enabled' })
  })

  test.each([
    ['none', ADAPTIVE, { thinking: { type: 'disabled' } }],
    ['minimal', ADAPTIVE, { thinking: { type: 'adaptive' }, output_config: { effort: 'low' } }],
    ['xhigh', ADAPTIVE, { output_config: { effort: 'xhigh' } }],
    ['none', 'claude-fable-5', { output_config: { effort: 'low' } }],
    ['none', MANUAL, { thinking: { type: 'disabled' } }],
    ['minimal', MANUAL, { thinking: { budget_tokens: 1024 } }],
    ['medium', MANUAL, { thinking: { budget_tokens: 8192 } }],
    ['max', MANUAL, { thinking: { budget_tokens: 31_999 } }],
  ] as const)('says effort %s to %s in its own words', (effort, model, body) => {
    expect(bodyOf({ reasoning: { effort } }, model)).toMatchObject(body)
  })

  test('says nothing to a model that cannot think, or has too little room for it', () => {
    const reasoning = { effort: 'high' } as const
    expect(bodyOf({ reasoning }, OLD)).not.toHaveProperty('thinking')
    expect(lossesOf({ reasoning }, OLD)).toEqual(['dropped:reasoning_effort'])
    expect(bodyOf({ reasoning, maxTokens: 800 }, MANUAL)).not.toHaveProperty('thinking')
    expect(bodyOf({ reasoning, maxTokens: 4000 }, MANUAL).thinking['budget_tokens']).toBe(3999)
    expect(bodyOf({})).not.toHaveProperty('thinking')
  })

  test('keeps a forced call and gives up thinking for it', () => {
    const asked = {
      reasoning: { effort: 'high' },
      tools: [LOOK],
      toolChoice: { type: 'required' },
    } as const
    expect(bodyOf(asked, MANUAL)).not.toHaveProperty('thinking')
    expect(lossesOf(asked, MANUAL)).toEqual(['dropped:reasoning_effort'])
  })
})

describe('tools', () => {
  const custom = {
    type: 'custom',
    name: 'apply_patch',
    description: 'Edits',
    grammar: { syntax: 'lark', definition: 'start: x' },
  } as const

  test('makes a function of every tool that the client runs', () => {
    const shell = {
      type: 'vendor',
      name: 'local_shell',
      dialect: 'local-shell',
      schema: { type: 'object', properties: { command: { type: 'array' } } },
    } as const
    const spaced = { ...LOOK, namespace: 'fs' }
    const asked = { tools: [LOOK, custom, shell, spaced] }
    const { tools } = bodyOf(asked)
    expect(tools).toMatchObject([
      { name: 'look', input_schema: { type: 'object' } },
      { name: 'apply_patch', input_schema: { required: ['input'], additionalProperties: false } },
      { name: 'local_shell' },
      { name: 'fs__look' },
    ])
    expect(tools[1]?.['description']).toContain('start: x')
    expect(lossesOf(asked)).toEqual(['approximated:tools.apply_patch'])
  })

  test('leaves out what another provider runs, unless the client counts on it', () => {
    const search = { type: 'server', kind: 'web_search', name: 'web_search' } as const
    expect(lossesOf({ tools: [LOOK, search] })).toEqual(['dropped:tools.web_search'])
    expect(problemOf({ tools: [search] })).toMatchObject({ path: 'tools[0]', code: 'unsupported' })
    const forced = { type: 'tool', name: 'web_search' } as const
    expect(problemOf({ tools: [LOOK, search], toolChoice: forced })?.path).toBe('tools[1]')
  })

  test('names the tool whose schema cannot be said', () => {
    const bad = { ...LOOK, name: 'bad', schema: { type: 'string' } }
    expect(problemOf({ tools: [LOOK, bad] })).toMatchObject({
      path: 'tools[1]',
      message: expect.stringContaining('"bad"'),
    })
  })

  test.each([
    [{ type: 'auto' }, undefined, { type: 'auto' }],
    [undefined, false, { type: 'auto', disable_parallel_tool_use: true }],
    [{ type: 'required' }, false, { type: 'any', disable_parallel_tool_use: true }],
    [{ type: 'tool', name: 'look' }, undefined, { type: 'tool', name: 'look' }],
    [{ type: 'none' }, false, { type: 'none' }],
    [undefined, true, undefined],
  ] as const)('writes the tool choice %j with parallel %s', (toolChoice, isParallel, expected) => {
    const body = bodyOf({ tools: [LOOK], toolChoice, isParallel })
    expect(body.tool_choice).toEqual(expected)
    expect(bodyOf({ toolChoice: { type: 'auto' } })).not.toHaveProperty('tool_choice')
  })

  test('shows only the tools that are allowed', () => {
    const tools = [LOOK, { ...LOOK, name: 'other' }]
    const allowed = { type: 'allowed', isRequired: true, tools: [{ name: 'other' }] } as const
    const body = bodyOf({ tools, toolChoice: allowed })
    expect(body.tools).toMatchObject([{ name: 'other' }])
    expect(body.tool_choice).toEqual({ type: 'any' })
  })

  test('lets a strict tool be enforced as far as the API can', () => {
    const schema = { type: 'object', properties: { n: { type: 'integer', minimum: 1 } } }
    const { tools } = bodyOf({ tools: [{ ...LOOK, schema, isStrict: true }] })
    expect(tools[0]).toMatchObject({
      strict: true,
      input_schema: {
        additionalProperties: false,
        properties: { n: { description: '{"minimum":1}' } },
      },
    })
  })
})

describe('settings', () => {
  test('asks for the form of the answer, in words where it cannot be enforced', () => {
    const schema = { type: 'object', properties: { a: { type: 'string', pattern: 'x' } } }
    const format = {
      type: 'json-schema',
      name: 'n',
      description: undefined,
      schema,
      isStrict: false,
    } as const
    expect(bodyOf({ format }).output_config['format']).toMatchObject({ type: 'json_schema' })
    expect(lossesOf({ format })).toEqual(['approximated:response_format'])
    const loose = { format: { type: 'json-object' } } as const
    expect(bodyOf(loose).system[0]?.['text']).toContain('JSON object')
    expect(lossesOf(loose)).toEqual(['approximated:response_format'])
  })

  test('samples as the model lets it', () => {
    const sampling = { temperature: 1.6, topP: 0.5, topK: 5, seed: 1, presencePenalty: 0 }
    expect(bodyOf({ sampling }, OLD)).toMatchObject({ temperature: 1, top_k: 5 })
    expect(lossesOf({ sampling })).toEqual([
      'dropped:seed',
      'dropped:temperature',
      'dropped:top_p',
      'dropped:top_k',
    ])
    expect(lossesOf({ sampling: { temperature: 1, topP: 1 } })).toEqual([])
    const thinks = { sampling: { temperature: 0 }, reasoning: { effort: 'low' } } as const
    expect(bodyOf(thinks, MANUAL)).not.toHaveProperty('temperature')
  })

  test('keeps stop sequences, and hands back those that the API does not take', () => {
    const written = write({ stop: ['END', '\n\n', ''] })
    expect(written).toMatchObject({ body: { stop_sequences: ['END'] }, stop: ['\n\n'] })
  })

  test('writes the limit, the user and the tier as the API has them', () => {
    const body = bodyOf({ user: 'u', metadata: { a: 'b' }, serviceTier: 'default' })
    expect(body).toMatchObject({
      max_tokens: 64_000,
      metadata: { user_id: 'u' },
      service_tier: 'standard_only',
    })
    expect(bodyOf({ user: 'u'.repeat(500) }).metadata.user_id.length).toBeLessThan(128)
    expect(lossesOf({ serviceTier: 'flex', verbosity: 'low' })).toEqual([
      'dropped:verbosity',
      'dropped:service_tier',
    ])
  })

  test('says what is lost, and refuses what is needed', () => {
    expect(lossesOf({ lost: ['truncation'] })).toEqual(['dropped:truncation'])
    const needed = [{ path: 'background', message: 'Leave it out' }]
    expect(problemOf({ needed })).toMatchObject({ path: 'background', code: 'unsupported' })
    expect(problemOf({ logprobs: 3 })?.path).toBe('logprobs')
  })

  test('marks no more than four places to cache, and caches for who counts on it', () => {
    const marked = { type: 'text', text: 'x', cache: { ttl: '30m' } } as const
    const many = Array.from({ length: 6 }, () => marked)
    const body = bodyOf({ system: many, turns: [user(...many)] })
    expect(JSON.stringify(body).match(/cache_control/g)).toHaveLength(4)
    expect(JSON.stringify(body.system)).not.toContain('cache_control')
    expect(bodyOf({ cache: { key: 'k', mark: undefined } }).cache_control).toEqual({
      type: 'ephemeral',
    })
  })
})

describe('media', () => {
  const bodyWith = (part: object): JsonObject =>
    bodyOf({ turns: [user(part as Part)] }).messages[0]?.content[0] ?? {}
  const inline = (mediaType: string, data = 'aGk=') => ({ type: 'inline', mediaType, data })

  test('writes images and documents that the API takes', () => {
    expect(bodyWith({ type: 'image', source: inline('image/jpg') })['source']).toMatchObject({
      media_type: 'image/jpeg',
    })
    const pdf = { type: 'document', filename: 'a.pdf', source: inline('application/pdf') }
    expect(bodyWith(pdf)).toMatchObject({ type: 'document', title: 'a.pdf' })
    const plain = { type: 'document', source: inline('text/markdown') }
    expect(bodyWith(plain)['source']).toMatchObject({ type: 'text', data: 'hi' })
    expect(bodyWith({ type: 'image', source: { type: 'url', url: 'https://a/b' } })).toMatchObject({
      source: { type: 'url', url: 'https://a/b' },
    })
  })

  test.each([
    { type: 'image', source: inline('image/svg+xml') },
    { type: 'image', source: { type: 'file', id: 'file_1' } },
    { type: 'document', source: inline('application/zip') },
    { type: 'image', source: inline('image/png', '???') },
    { type: 'audio', data: 'aGk=', format: 'wav' },
  ])('refuses %j with a word of what to do', (part) => {
    expect(problemOf({ turns: [user(part as Part)] })).toMatchObject({ path: 'messages' })
  })
})
