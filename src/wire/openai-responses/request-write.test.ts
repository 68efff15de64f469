import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { validateResponses } from '../../../test/support/api-rules-responses.ts'
import { isObject, toList, type JsonObject } from '../../base/json.ts'
import type { Part, ThinkingPart } from '../../request/part.ts'
import { toProfile } from '../../request/profile.ts'
import type { ModelRequest, Turn } from '../../request/request.ts'
import type { Tool } from '../../request/tool.ts'
import type { WriteOptions, WrittenRequest } from '../../request/write.ts'
import { readRequest } from './request-read.ts'
import { writeRequest } from './request-write.ts'

const profileOf = (model: string) => toProfile({ wire: 'openai-responses', model })

const text = (said: string): Part => ({ type: 'text', text: said })
const user = (...parts: Part[]): Turn => ({ role: 'user', parts })
const assistant = (...parts: Part[]): Turn => ({ role: 'assistant', parts })
const call = (id: string, name = 'run', args = '{"a":1}'): Part => ({
  type: 'tool-call',
  id,
  name,
  dialect: 'function',
  arguments: args,
})
const result = (callId: string, ...parts: Part[]): Part => ({
  type: 'tool-result',
  callId,
  dialect: 'function',
  parts: parts as Extract<Part, { type: 'tool-result' }>['parts'],
  isError: false,
})
const run: Tool = { type: 'function', name: 'run', schema: undefined, isStrict: undefined }
const thinking = (id: string, issuer?: string): ThinkingPart => ({
  type: 'thinking',
  text: 'Hm',
  seal: {
    wire: 'openai-responses',
    ...(issuer === undefined ? {} : { issuer }),
    item: { type: 'reasoning', id, summary: [], encrypted_content: `gAAAA${id}` },
  },
})

function ask(fields: Partial<ModelRequest> = {}): ModelRequest {
  return {
    source: { wire: 'anthropic-messages', body: {} },
    model: 'theirs',
    isStream: true,
    system: [],
    turns: [user(text('Hi'))],
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
    ...fields,
  }
}

function write(request: ModelRequest, options: Partial<WriteOptions> = {}): WrittenRequest {
  const model = options.model ?? 'gpt-5.5'
  return writeRequest(request, { model, isStream: true, profile: profileOf(model), ...options })
}

function written(fields: Partial<ModelRequest>, options: Partial<WriteOptions> = {}) {
  const result = write(ask(fields), options)
  if (!result.ok) throw new Error(`${result.problem.path}: ${result.problem.message}`)
  expect(validateResponses(result.body)).toEqual([])
  const losses = result.losses.map(({ kind, what }) => `${kind}:${what}`)
  return { ...result, losses, input: toList(result.body['input']) as readonly JsonObject[] }
}

function refused(fields: Partial<ModelRequest>, options: Partial<WriteOptions> = {}) {
  const result = write(ask(fields), options)
  return result.ok ? undefined : result.problem
}

describe('a conversation', () => {
  test('calls, their results and the words between them are items without ids of another wire', () => {
    const { input } = written({
      tools: [run],
      turns: [
        user(text('Go')),
        assistant(text('Running.'), call('toolu_1')),
        user(result('toolu_1', text('done')), text('And?')),
        assistant(text('That is all.')),
        user(text('Thanks')),
      ],
    })
    expect(input).toEqual([
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Go' }] },
      {
        type: 'message',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'Running.', annotations: [] }],
        phase: 'commentary',
      },
      { type: 'function_call', call_id: 'toolu_1', name: 'run', arguments: '{"a":1}' },
      { type: 'function_call_output', call_id: 'toolu_1', output: 'done' },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'And?' }] },
      {
        type: 'message',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'That is all.', annotations: [] }],
        phase: 'final_answer',
      },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Thanks' }] },
    ])
  })

  test('one system text is the instructions, several are one developer message', () => {
    const one = written({ system: [{ type: 'text', text: 'Be brief.' }] })
    expect(one.body['instructions']).toBe('Be brief.')
    const two = written({
      system: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
    })
    expect(two.body['instructions']).toBeUndefined()
    expect(two.input[0]).toMatchObject({
      role: 'developer',
      content: [{ text: 'a' }, { text: 'b' }],
    })
  })

  test('the billing line of Claude Code does not leave, and nobody is told', () => {
    const { body, losses } = written({
      system: [
        { type: 'text', text: 'x-anthropic-billing-header: cc_version=2; cch=1a2b;' },
        { type: 'text', text: 'You are Claude Code.' },
      ],
    })
    expect(body['instructions']).toBe('You are Claude Code.')
    expect(losses).toEqual([])
  })

  test('a system turn stays where it is, as a developer message', () => {
    const { input } = written({
      turns: [user(text('a')), { role: 'system', parts: [text('b')] }, user(text('c'))],
    })
    expect(input.map((item) => item['role'])).toEqual(['user', 'developer', 'user'])
  })

  test('a failed result that says so itself does not say it twice', () => {
    const failed = { ...result('c1', text('Error: no such file')), isError: true }
    const { input } = written({ tools: [run], turns: [assistant(call('c1')), user(failed)] })
    expect(input[1]).toMatchObject({ output: 'Error: no such file' })
  })

  test('images and files stand inside the output of a tool, and an error begins as one', () => {
    const { input } = written({
      tools: [run],
      turns: [
        assistant(call('c1'), call('c2')),
        user(
          {
            ...(result('c1') as Extract<Part, { type: 'tool-result' }>),
            isError: true,
            parts: [{ type: 'text', text: 'broken' }],
          },
          result(
            'c2',
            text('seen'),
            { type: 'image', source: { type: 'inline', mediaType: 'image/png', data: 'AAAA' } },
            {
              type: 'document',
              title: 'Report',
              source: { type: 'inline', mediaType: 'application/pdf', data: 'BBBB' },
            },
          ),
        ),
      ],
    })
    expect(input[2]).toMatchObject({ call_id: 'c1', output: 'Error: broken' })
    expect(input[3]?.['output']).toEqual([
      { type: 'input_text', text: 'seen' },
      { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'auto' },
      {
        type: 'input_file',
        filename: 'Report.pdf',
        file_data: 'data:application/pdf;base64,BBBB',
      },
    ])
  })

  test('a call without arguments has an empty object, and a long id a short one on both sides', () => {
    const id = 'x'.repeat(80)
    const { input } = written({
      tools: [run],
      turns: [assistant(call(id, 'run', '')), user(result(id, text('ok')))],
    })
    expect(input[0]).toMatchObject({ arguments: '{}' })
    expect(input[0]?.['call_id']).toBe(input[1]?.['call_id'])
  })

  test('a conversation that grows keeps its beginning to the byte', () => {
    const turns = [
      user(text('Go')),
      assistant(thinking('rs_1'), text('Running.'), call('c1')),
      user({ ...result('c1', text('done')), cache: {} }),
      assistant(text('Done.')),
      user({ ...text('More'), cache: {} }),
    ]
    const first = written({ tools: [run], turns: turns.slice(0, 3) }).input
    const unmarked = turns.map((turn) => ({
      ...turn,
      parts: turn.parts.map(({ cache: _cache, ...part }) => part),
    }))
    const second = written({ tools: [run], turns: unmarked }).input
    expect(JSON.stringify(second).startsWith(JSON.stringify(first).slice(0, -1))).toBe(true)
  })

  test('cache marks of content leave where the model knows them', () => {
    const marked = { turns: [user({ ...text('a'), cache: { ttl: '1h' } }, text('b'))] }
    const { input, losses } = written(marked, { model: 'gpt-5.6' })
    expect(input[0]?.['content']).toEqual([
      { type: 'input_text', text: 'a', prompt_cache_breakpoint: { mode: 'explicit' } },
      { type: 'input_text', text: 'b' },
    ])
    expect(losses).toEqual(['approximated:cache_control.ttl'])
    expect(JSON.stringify(written(marked).body)).not.toContain('breakpoint')
  })

  test('a mark on a result changes nothing, for it moves on with the next turn', () => {
    const turns = (...given: Part[]) => [assistant(call('c1')), user(result('c1', ...given))]
    const mark = { cache: {} }
    const marked = turns({ ...text('a'), ...mark }, { ...text('b'), ...mark })
    const input = (list: readonly Turn[]) =>
      written({ tools: [run], turns: list }, { model: 'gpt-5.6' }).input
    expect(input(marked)).toEqual(input(turns(text('a'), text('b'))))
  })

  test('what only another provider can say is said in words or left out, and it is told', () => {
    const { input, losses } = written({
      turns: [
        user(text('Hi')),
        assistant(
          { type: 'opaque', what: 'server_tool_use web_search', vendor: {} },
          { type: 'opaque', what: 'web_fetch', vendor: {}, text: 'It says 42.' },
        ),
        user(text('So?')),
      ],
    })
    expect(input[1]).toMatchObject({ content: [{ text: 'It says 42.' }] })
    expect(losses).toEqual(['dropped:server_tool_use web_search', 'approximated:web_fetch'])
  })
})

describe('thinking', () => {
  const turns = (...parts: Part[]): readonly Turn[] => [
    user(text('Go')),
    assistant(...parts),
    user(result('c1', text('ok'))),
  ]
  const types = (input: readonly JsonObject[]): unknown[] => input.map((item) => item['type'])

  test('that this upstream sealed goes back word for word before what came of it', () => {
    const part = thinking('rs_1', 'openai')
    const { input } = written(
      { tools: [run], turns: turns(part, call('c1')) },
      { issuer: 'openai' },
    )
    expect(input[1]).toEqual(part.seal?.item)
    expect(input[2]).toMatchObject({ type: 'function_call' })
  })

  test('of another upstream or another wire is left out', () => {
    const foreign: ThinkingPart = {
      type: 'thinking',
      text: 'Hm',
      seal: { wire: 'anthropic-messages', signature: 'sig' },
    }
    const { input, losses } = written(
      { tools: [run], turns: turns(thinking('rs_1', 'azure'), foreign, call('c1')) },
      { issuer: 'openai' },
    )
    expect(types(input)).toEqual(['message', 'function_call', 'function_call_output'])
    expect(losses).toEqual([])
  })

  test('is never alone', () => {
    const { input } = written({
      turns: [user(text('Go')), assistant(thinking('rs_1')), user(text('Well?'))],
    })
    expect(types(input)).toEqual(['message', 'message'])
  })

  test('is recalled for a client whose format hands none back, once, before the words of its call', () => {
    const recall = (id: string) => (id === 'c1' || id === 'c2' ? [thinking('rs_1')] : undefined)
    const { input } = written(
      {
        tools: [run],
        turns: [
          user(text('Go')),
          assistant(text('Running.'), call('c1'), call('c2')),
          user(result('c1', text('ok')), result('c2', text('ok'))),
        ],
      },
      { recall },
    )
    expect(types(input).slice(0, 5)).toEqual([
      'message',
      'reasoning',
      'message',
      'function_call',
      'function_call',
    ])
    expect(types(input).filter((type) => type === 'reasoning')).toHaveLength(1)
  })
})

describe('tools', () => {
  const custom: Tool = {
    type: 'custom',
    name: 'patch',
    grammar: { syntax: 'lark', definition: 'start: "x"' },
  }
  const bash: Tool = {
    type: 'vendor',
    name: 'bash',
    dialect: 'function',
    schema: { type: 'object', properties: { command: { type: 'string' } } },
  }
  const search: Tool = { type: 'server', name: 'web_search', kind: 'web_search_20250305' }

  test('are flat, and always have a word on strictness', () => {
    const { body } = written({ tools: [{ ...run, description: 'Runs' }, custom, bash] })
    expect(body['tools']).toMatchObject([
      { type: 'function', name: 'run', description: 'Runs', strict: false },
      { type: 'custom', format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' } },
      { type: 'function', name: 'bash', strict: false },
    ])
  })

  test('that are strict elsewhere and cannot be here are asked for without', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } } }
    const { body, losses } = written({ tools: [{ ...run, schema, isStrict: true }] })
    expect(body['tools']).toMatchObject([{ strict: false }])
    expect(losses).toEqual(['approximated:tools.strict'])
  })

  test('a custom call and its result are items of their kind', () => {
    const { input } = written({
      tools: [custom],
      turns: [
        assistant({
          type: 'tool-call',
          id: 'c',
          name: 'patch',
          dialect: 'custom',
          arguments: '*** ',
        }),
        user(result('c', text('ok'))),
      ],
    })
    expect(input).toEqual([
      { type: 'custom_tool_call', call_id: 'c', name: 'patch', input: '*** ' },
      { type: 'custom_tool_call_output', call_id: 'c', output: 'ok' },
    ])
  })

  test('that the provider runs are left out and named, unless the client relies on them', () => {
    expect(written({ tools: [run, search] }).losses).toEqual(['dropped:tools.web_search'])
    expect(refused({ tools: [search] })).toMatchObject({ path: 'tools', code: 'unsupported' })
    expect(
      refused({ tools: [run, search], toolChoice: { type: 'tool', name: 'web_search' } }),
    ).toMatchObject({ path: 'tool_choice', code: 'unsupported' })
  })

  test.each<[ModelRequest['toolChoice'], unknown]>([
    [{ type: 'required' }, 'required'],
    [
      { type: 'tool', name: 'patch' },
      { type: 'custom', name: 'patch' },
    ],
    [
      { type: 'allowed', isRequired: true, tools: [{ name: 'run' }, { name: 'web_search' }] },
      { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'run' }] },
    ],
  ])('the choice %j is %j', (toolChoice, expected) => {
    const { body } = written({ tools: [run, custom, search], toolChoice, isParallel: false })
    expect(body['tool_choice']).toEqual(expected)
    expect(body['parallel_tool_calls']).toBe(false)
  })

  test('without tools there is nothing to choose', () => {
    const { body } = written({ toolChoice: { type: 'auto' }, isParallel: false })
    expect(body).not.toHaveProperty('tool_choice')
    expect(body).not.toHaveProperty('parallel_tool_calls')
  })
})

describe('settings', () => {
  test('nothing is stored unless the client said so, and thinking comes back sealed', () => {
    expect(written({}).body).toMatchObject({
      store: false,
      include: ['reasoning.encrypted_content'],
      stream: true,
      model: 'gpt-5.5',
    })
    expect(written({ isStored: true }).body['store']).toBe(true)
    expect(written({}, { model: 'gpt-4.1' }).body).not.toHaveProperty('include')
  })

  test.each<[ModelRequest['reasoning'], unknown, readonly string[]]>([
    [{ effort: 'high', shows: true }, { effort: 'high', summary: 'auto' }, []],
    [{ effort: 'max' }, { effort: 'xhigh' }, ['approximated:output_config.effort']],
    [{ effort: 'minimal' }, { effort: 'low' }, ['approximated:output_config.effort']],
    [{ mode: 'on', budget: 31_999, shows: true }, { effort: 'xhigh', summary: 'auto' }, []],
    [{ mode: 'on', budget: 31_999 }, { effort: 'xhigh', summary: 'auto' }, []],
    [{ mode: 'on', budget: 31_999, shows: false }, { effort: 'xhigh' }, []],
    [{ mode: 'on', budget: 1024 }, { effort: 'low', summary: 'auto' }, []],
    [{ mode: 'off' }, { effort: 'none' }, []],
    [{ mode: 'adaptive' }, undefined, []],
  ])('the thinking %j is %j', (reasoning, expected, losses) => {
    const result = written({ reasoning })
    expect(result.body['reasoning']).toEqual(expected)
    expect(result.losses).toEqual(losses)
  })

  test('a model that cannot stop thinking thinks least, and it is told', () => {
    const { body, losses } = written({ reasoning: { mode: 'off' } }, { model: 'gpt-5' })
    expect(body['reasoning']).toEqual({ effort: 'minimal' })
    expect(losses).toEqual(['approximated:thinking'])
  })

  test('the limit is at least what the vendor takes', () => {
    expect(written({ maxTokens: 1 }).body['max_output_tokens']).toBe(16)
    expect(written({ maxTokens: 4000 }).body['max_output_tokens']).toBe(4000)
  })

  test('stop sequences are handed on to be looked for', () => {
    const { body, stop } = written({ stop: ['END', '###'] })
    expect(stop).toEqual(['END', '###'])
    expect(body).not.toHaveProperty('stop')
  })

  test('sampling leaves where the model takes it, and a value that changes nothing is no loss', () => {
    const sampling = { temperature: 0.2, topP: 0.9, topK: 5 }
    const old = written({ sampling }, { model: 'gpt-4.1' })
    expect(old.body).toMatchObject({ temperature: 0.2, top_p: 0.9 })
    expect(old.losses).toEqual(['dropped:top_k'])
    expect(written({ sampling }).losses).toEqual([
      'dropped:top_k',
      'dropped:temperature',
      'dropped:top_p',
    ])
    expect(written({ sampling: { temperature: 1, frequencyPenalty: 0 } }).losses).toEqual([])
  })

  test('a schema is enforced where it can be', () => {
    const closed = {
      type: 'object',
      properties: { title: { type: 'string' } },
      required: ['title'],
      additionalProperties: false,
    }
    const format = {
      type: 'json-schema',
      name: undefined,
      description: undefined,
      isStrict: undefined,
    } as const
    expect(written({ format: { ...format, schema: closed } }).body['text']).toEqual({
      format: { type: 'json_schema', name: 'response', schema: closed, strict: true },
    })
    const open = written({ format: { ...format, schema: { ...closed, required: [] } } })
    expect(open.body['text']).toMatchObject({ format: { strict: false } })
    expect(open.losses).toEqual(['approximated:output_config.format'])
  })

  test('a long user id becomes the same short one every time', () => {
    const id = JSON.stringify({ device_id: 'd'.repeat(64), session_id: 's'.repeat(64) })
    const [a, b] = [written({ user: id }), written({ user: id })]
    expect(a.body['safety_identifier']).toBe(b.body['safety_identifier'])
    expect(a.body['safety_identifier']).not.toContain('device')
  })

  test('what only the client’s wire has is lost by name or refused', () => {
    expect(written({ lost: ['context_management'] }).losses).toEqual(['dropped:context_management'])
    const needed = [{ path: 'container', message: 'Cannot use a container here' }]
    expect(refused({ needed })).toEqual({ ...needed[0], code: 'unsupported' })
  })

  test('an answer that was begun for the model is refused, for it would begin anew', () => {
    const turns = [user(text('JSON, please')), assistant(text('{'))]
    expect(refused({ turns })).toMatchObject({ path: 'messages', code: 'unsupported' })
    expect(refused({ turns, source: { wire: 'openai-chat', body: {} } })).toBeUndefined()
  })

  test.each<[string, Part]>([
    ['audio', { type: 'audio', data: 'AA', format: 'wav' }],
    ['a stored image', { type: 'image', source: { type: 'file', id: 'f' } }],
    ['a stored document', { type: 'document', source: { type: 'file', id: 'f' } }],
  ])('%s cannot cross', (_what, part) => {
    expect(refused({ turns: [user(part)] })?.code).toBe('unsupported')
  })
})

describe('any conversation', () => {
  const words = fc.string({ minLength: 1, maxLength: 12 })
  const id = fc.constantFrom('c1', 'c2', 'c3', '', 'call:4', 'x'.repeat(70))
  const said = fc.oneof(
    words.map(text),
    fc.constantFrom<Part>(thinking('rs_1'), thinking('rs_2', 'azure'), text('')),
    id.map((callId) => call(callId)),
  )
  const given = fc.oneof(
    words.map(text),
    id.map((callId) => result(callId, text('ok'))),
    id.map((callId) => result(callId)),
  )
  const turn = fc.oneof(
    fc.array(said, { minLength: 1, maxLength: 4 }).map((parts) => assistant(...parts)),
    fc.array(given, { minLength: 1, maxLength: 3 }).map((parts) => user(...parts)),
    words.map((part): Turn => ({ role: 'system', parts: [text(part)] })),
  )

  test('becomes a request that the API takes, the same each time', () => {
    const legal = fc.property(fc.array(turn, { maxLength: 8 }), (turns) => {
      const source = { wire: 'openai-chat', body: {} } as const
      const request = ask({ source, tools: [run], turns: [user(text('Hi')), ...turns] })
      const options: Partial<WriteOptions> = { recall: () => [thinking('rs_3')] }
      const [first, second] = [write(request, options), write(request, options)]
      expect(first.ok).toBe(true)
      expect(JSON.stringify(second)).toBe(JSON.stringify(first))
      if (first.ok) expect(validateResponses(first.body)).toEqual([])
    })
    fc.assert(legal, { numRuns: 150 })
  })
})

describe('what was written', () => {
  const words = fc.string({ minLength: 1, maxLength: 12 })
  const exchange = fc.record({
    asked: words,
    said: words,
    calls: fc.array(fc.record({ given: fc.string(), isError: fc.boolean() }), { maxLength: 3 }),
  })

  /** What both wires can express. */
  const essence = (turns: readonly Turn[]): unknown =>
    turns.flatMap(({ role, parts }) =>
      parts.map((part) => {
        if (part.type === 'tool-result')
          return [
            part.callId,
            part.isError,
            // The wire has no flag: the words say it, and keep it.
            part.parts
              .map((inner) => ('text' in inner ? inner.text : ''))
              .join('')
              .replace(part.isError ? /^Error: / : '', ''),
          ]
        if (part.type === 'tool-call') return [part.id, part.name, part.arguments]
        return [role, part.type, 'text' in part && part.text]
      }),
    )

  test('is read as it was meant', () => {
    const same = fc.property(fc.array(exchange, { minLength: 1, maxLength: 4 }), (exchanges) => {
      const turns = exchanges.flatMap(({ asked, said, calls }, i): Turn[] => [
        user(text(asked)),
        assistant(text(said), ...calls.map((_, k) => call(`c${i}_${k}`))),
        ...(calls.length === 0
          ? []
          : [
              user(
                ...calls.map(({ given, isError }, k) => ({
                  ...result(`c${i}_${k}`, ...(given === '' ? [] : [text(given)])),
                  isError,
                })),
              ),
            ]),
      ])
      const { body } = written({ tools: [run], turns: [...turns, user(text('End'))] })
      const read = readRequest(body)
      expect(read.ok && essence(read.request.turns)).toEqual(essence([...turns, user(text('End'))]))
    })
    fc.assert(same, { numRuns: 100 })
  })
})

describe('a request of this wire', () => {
  test('keeps every field, known or not, but the model', () => {
    const body = {
      model: 'theirs',
      input: [{ type: 'message', role: 'user', content: 'Hi', new_field: 1 }],
      client_metadata: { a: 'b' },
      tools: [{ type: 'namespace', name: 'n', tools: [] }],
    }
    const result = write(ask({ source: { wire: 'openai-responses', body } }), { isStream: false })
    expect(result).toMatchObject({ ok: true, body: { ...body, model: 'gpt-5.5' }, losses: [] })
    expect(result.ok && isObject(result.body) && 'stream' in result.body).toBe(false)
  })
})
