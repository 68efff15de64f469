import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../base/json.ts'
import type { WireName } from '../../event/event.ts'
import { toBytes } from '../../sse/encode.ts'
import { WIRE_NAMES } from '../../wire/wires.ts'
import { assemble, lint, readEvents } from '../../../test/support/pipeline.ts'
import { toReply } from './reply.ts'

const PATHS: Record<WireName, string> = {
  'anthropic-messages': '/v1/messages',
  'openai-chat': '/chat/completions',
  'openai-responses': '/responses',
}

interface Said {
  readonly status: number
  readonly types: readonly string[]
  readonly text: string
  readonly calls: readonly { id: string; name: string; args: unknown; arguments: string }[]
  readonly finish: string | undefined
  readonly raw: string
  readonly first: number
}

/** Asks for a stream and reads it; it must be legal. */
function say(wire: WireName, body: JsonObject): Said {
  const reply = toReply(
    {
      method: 'POST',
      wire,
      path: PATHS[wire],
      query: '',
      headers: {},
      body: Buffer.from(JSON.stringify({ model: 'any', max_tokens: 99, stream: true, ...body })),
    },
    { pace: 0, now: () => 0 },
  )
  const bytes = Buffer.concat([...reply.chunks].map(toBytes))
  const raw = bytes.toString()
  if (reply.status !== 200)
    return { status: reply.status, types: [], text: '', calls: [], finish: '', raw, first: 0 }
  expect(lint(wire, bytes)).toEqual([])
  const state = assemble(readEvents(wire, [bytes]))
  return {
    status: 200,
    types: state.blocks.map(({ type }) => type),
    text: state.blocks.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    calls: state.blocks
      .filter((block) => block.type === 'tool-call')
      .map((block) => ({
        id: block.id,
        name: block.name,
        args: block.args(),
        arguments: block.arguments,
      })),
    finish: state.finishReason,
    raw,
    first: reply.first,
  }
}

const schemaOf = (properties: JsonObject, required = Object.keys(properties)): JsonObject => ({
  type: 'object',
  properties,
  required,
})

const TEXT = { type: 'string' }
const WEATHER = ['get_weather', schemaOf({ city: TEXT })] as const
const BASH = [
  'Bash',
  schemaOf({ command: TEXT, description: TEXT, directory: TEXT }, ['command']),
] as const
const READ = [
  'Read',
  schemaOf({ file_path: TEXT, limit: { type: 'number' } }, ['file_path']),
] as const
const WRITE = ['Write', schemaOf({ file_path: TEXT, content: TEXT })] as const
const AGENT = ['Agent', schemaOf({ prompt: TEXT })] as const

type Tool = readonly [name: string, schema: JsonObject]

const toolOn = (wire: WireName, [name, schema]: Tool): JsonObject =>
  wire === 'anthropic-messages'
    ? { name, input_schema: schema }
    : wire === 'openai-chat'
      ? { type: 'function', function: { name, parameters: schema } }
      : { type: 'function', name, parameters: schema }

const ask = (wire: WireName, prompt: string, tools: readonly Tool[] = []): JsonObject => ({
  ...(wire === 'openai-responses'
    ? { input: [{ role: 'user', content: prompt }] }
    : { messages: [{ role: 'user', content: prompt }] }),
  ...(tools.length === 0 ? {} : { tools: tools.map((tool) => toolOn(wire, tool)) }),
})

/** The next request of an agent that ran the calls it was given. */
function goOn(
  wire: WireName,
  body: JsonObject,
  said: Said,
  results: readonly string[],
): JsonObject {
  const pairs = said.calls.map((call, place) => ({ ...call, result: results[place] ?? 'done' }))
  switch (wire) {
    case 'anthropic-messages':
      return {
        ...body,
        messages: [
          ...(body['messages'] as JsonObject[]),
          {
            role: 'assistant',
            content: [
              { type: 'text', text: said.text },
              ...pairs.map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: args })),
            ],
          },
          {
            role: 'user',
            content: pairs.map(({ id, result }) => ({
              type: 'tool_result',
              tool_use_id: id,
              content: result,
              is_error: false,
            })),
          },
        ],
      }
    case 'openai-chat':
      return {
        ...body,
        messages: [
          ...(body['messages'] as JsonObject[]),
          {
            role: 'assistant',
            content: said.text,
            tool_calls: pairs.map((call) => ({
              id: call.id,
              type: 'function',
              function: { name: call.name, arguments: call.arguments },
            })),
          },
          ...pairs.map(({ id, result }) => ({ role: 'tool', tool_call_id: id, content: result })),
        ],
      }
    case 'openai-responses':
      return {
        ...body,
        input: [
          ...(body['input'] as JsonObject[]),
          { role: 'assistant', content: [{ type: 'output_text', text: said.text }] },
          ...pairs.map((call) => ({
            type: 'function_call',
            call_id: call.id,
            name: call.name,
            arguments: call.arguments,
          })),
          ...pairs.map(({ id, result }) => ({
            type: 'function_call_output',
            call_id: id,
            output: result,
          })),
        ],
      }
  }
}

describe.each(WIRE_NAMES)('on %s', (wire) => {
  const asked = (prompt: string, ...tools: readonly Tool[]): Said =>
    say(wire, ask(wire, prompt, tools))

  test('a question about the weather calls the tool for it', () => {
    const said = asked('What is the weather in Paris?', BASH, WEATHER)
    expect(said.types).toEqual(['text', 'tool-call'])
    expect(said.calls).toMatchObject([{ name: 'get_weather', args: { city: 'Paris' } }])
    expect(said.finish).toBe('tool-calls')
    expect(asked('weather in New York, please', WEATHER).calls[0]?.args).toEqual({
      city: 'New York',
    })
  })

  test('a prompt without a meaning gets a greeting, with tools or without', () => {
    for (const tools of [[], [BASH, READ]]) {
      const said = asked('Hi there', ...tools)
      expect(said.types).toEqual(['text'])
      expect(said.text).toMatch(/^Hello! This is Sluice's demo upstream/)
      expect(said.finish).toBe('stop')
    }
  })

  test('only declared tools are called, unless none is and a call was asked for', () => {
    expect(asked('What is the weather in Paris?').types).toEqual(['text'])
    expect(asked('loop 3 times').types).toEqual(['text'])
    expect(asked('Use a tool').calls).toMatchObject([{ name: 'get_weather' }])
    expect(asked('Do something dangerous').calls).toMatchObject([
      { name: 'bash', args: { command: 'rm -rf /tmp/sluice-demo-does-not-exist' } },
    ])
    expect(asked('Do something dangerous', AGENT, BASH).calls).toMatchObject([
      { name: 'Bash', args: { command: 'rm -rf /tmp/sluice-demo-does-not-exist' } },
    ])
  })

  test('the tool that fits the words is called', () => {
    const tools = [AGENT, BASH, READ, WRITE]
    expect(asked('Please run something', ...tools).calls).toMatchObject([
      { name: 'Bash', args: { command: 'echo hello from sluice', description: 'Sluice demo' } },
    ])
    expect(asked('Read /etc/hostname.', ...tools).calls).toMatchObject([
      { name: 'Read', args: { file_path: '/etc/hostname' } },
    ])
    expect(asked('create a file', ...tools).calls).toMatchObject([
      { name: 'Write', args: { file_path: '/tmp/sluice-demo.txt', content: 'hello from sluice' } },
    ])
    expect(asked('Search for the name', ...tools).calls).toMatchObject([{ name: 'Bash' }])
    expect(asked('Use something', ...tools).calls).toMatchObject([{ name: 'Bash' }])
    expect(asked('Use the Agent', ...tools).calls).toMatchObject([{ name: 'Agent' }])
    const deleteUser = ['delete_user', schemaOf({ id: { type: 'integer' } })] as const
    expect(asked('Delete the user', BASH, deleteUser).calls).toMatchObject([
      { name: 'delete_user', args: { id: 1 } },
    ])
  })

  test('a command in backticks is run as it stands, several at once', () => {
    expect(asked('Please run `ls -la | grep "error"` for me', BASH).calls).toMatchObject([
      { name: 'Bash', args: { command: 'ls -la | grep "error"' } },
    ])
    expect(asked('`pwd` and ```bash\nid\n```', BASH).calls).toMatchObject([
      { args: { command: 'pwd' } },
      { args: { command: 'id' } },
    ])
  })

  test('calls that the prompt spells out are made word for word', () => {
    const said = asked(
      'call Write `{"file_path":"/tmp/x","content":"y","more":[1,{}]}` and then call Read `{"file_path":"/tmp/x"}`, call Nothing `{}`, call Bash `no JSON`',
      BASH,
      READ,
      WRITE,
    )
    expect(said.calls.map(({ name, args }) => [name, args])).toEqual([
      ['Write', { file_path: '/tmp/x', content: 'y', more: [1, {}] }],
      ['Read', { file_path: '/tmp/x' }],
    ])
  })

  test('what the tools said is quoted, and the answer ends', () => {
    const body = ask(wire, 'call Bash `{"command":"a"}` call Bash `{"command":"b"}`', [BASH])
    const first = say(wire, body)
    expect(first.calls).toHaveLength(2)
    const last = say(wire, goOn(wire, body, first, ['one\ntwo', '🎉'.repeat(500)]))
    expect(last.types).toEqual(['text'])
    expect(last.finish).toBe('stop')
    expect(last.text).toBe(`The tool said: one two\nThe tool said: ${'🎉'.repeat(200)} …`)
  })

  test.each([
    ['demo-loop', 'Go', 3],
    ['demo-loop', 'Make it 5 steps', 5],
    ['any', 'loop 4 times', 4],
    ['demo-tool', 'Go', 1],
  ])('an agent on %s that is told "%s" makes %i calls and ends', (model, prompt, calls) => {
    let body: JsonObject = { ...ask(wire, prompt, [BASH]), model }
    let made = 0
    const seen = new Set<unknown>()
    for (let turn = 0; turn < 20; turn++) {
      const said = say(wire, body)
      if (said.calls.length === 0) {
        expect(said.text).toContain(`The tool said: result of ${made}`)
        break
      }
      made += said.calls.length
      for (const { id, arguments: text } of said.calls) seen.add(id).add(text)
      body = goOn(wire, body, said, [`result of ${made}`])
    }
    expect(made).toBe(calls)
    // No two calls of a loop are the same, in id or in arguments.
    expect(seen.size).toBe(2 * calls)
  })

  test('a loop whose beginning is not in the request ends', () => {
    const { tools } = ask(wire, '', [BASH])
    const body = goOn(
      wire,
      { model: 'demo-loop', tools, messages: [], input: [] },
      say(wire, { ...ask(wire, 'Go', [BASH]), model: 'demo-loop' }),
      ['x'],
    )
    expect(say(wire, body).types).toEqual(['text'])
  })

  test('words choose a script', () => {
    expect(asked('Please refuse').types).toEqual([
      wire === 'anthropic-messages' ? 'text' : 'refusal',
    ])
    expect(asked('THINK about it').types).toEqual(['thinking', 'text'])
    expect(asked('think, then run something', BASH).types).toEqual([
      'thinking',
      'text',
      'tool-call',
    ])
    expect(asked('Give me an error').status).toBe(wire === 'anthropic-messages' ? 529 : 503)
    expect(asked('a long one').text).toContain('word-2000')
    expect(asked('slowly').first).toBe(2000)
    expect(asked('Try demo-rate-limit').status).toBe(429)
    expect(asked('several tools', BASH).calls.map(({ args }) => args)).toEqual([
      { command: 'echo hello from sluice', description: 'Sluice demo' },
      { command: 'echo hello from sluice 2', description: 'Sluice demo' },
      { command: 'echo hello from sluice 3', description: 'Sluice demo' },
    ])
    expect(asked('No errors, no longing, no `error`').text).toMatch(/^Hello/)
  })

  test('a forced tool is called, a forbidden one is not', () => {
    const required = wire === 'anthropic-messages' ? { type: 'any' } : 'required'
    const none = wire === 'anthropic-messages' ? { type: 'none' } : 'none'
    const named = {
      'anthropic-messages': { type: 'tool', name: 'Read' },
      'openai-chat': { type: 'function', function: { name: 'Read' } },
      'openai-responses': { type: 'function', name: 'Read' },
    }[wire]
    const body = ask(wire, 'Hi', [BASH, READ])
    expect(say(wire, { ...body, tool_choice: required }).calls).toHaveLength(1)
    expect(say(wire, { ...body, tool_choice: named }).calls).toMatchObject([{ name: 'Read' }])
    expect(say(wire, { ...body, model: 'demo-tool', tool_choice: none }).types).toEqual(['text'])
  })

  test('a client that wants one call at a time gets one', () => {
    const one =
      wire === 'anthropic-messages'
        ? { tool_choice: { type: 'auto', disable_parallel_tool_use: true } }
        : { parallel_tool_calls: false }
    const body = { ...ask(wire, 'Go', [BASH]), ...one, model: 'demo-tools' }
    expect(say(wire, body).calls).toHaveLength(1)
  })

  test('a client that wants JSON gets JSON of its schema, whatever the prompt says', () => {
    const schema = schemaOf({ title: TEXT, tags: { type: 'array', items: TEXT } })
    const format = {
      'anthropic-messages': { output_config: { format: { type: 'json_schema', schema } } },
      'openai-chat': { response_format: { type: 'json_schema', json_schema: { schema } } },
      'openai-responses': { text: { format: { type: 'json_schema', name: 'x', schema } } },
    }[wire]
    const said = say(wire, { ...ask(wire, 'Run a dangerous `ls`'), ...format })
    expect(JSON.parse(said.text)).toEqual({ title: 'Sluice demo', tags: ['Sluice demo'] })
  })

  test('a provider before the name of a model does not matter', () => {
    const said = say(wire, { ...ask(wire, 'Hi'), model: 'sluice/Demo-Tool[1m]' })
    expect(said.calls).toHaveLength(1)
  })
})

describe('as real clients send it', () => {
  test('reminders around the words of the user are not the words of the user', () => {
    const reminder = { type: 'text', text: '<system-reminder>Think of an error</system-reminder>' }
    const words = ['Please', 'run the command'].map((text) => ({ type: 'text', text }))
    const content = [reminder, words[0], reminder, words[1], reminder]
    const body = {
      messages: [
        { role: 'user', content },
        { role: 'system', content: '# Environment with a long error' },
      ],
      tools: [toolOn('anthropic-messages', AGENT), toolOn('anthropic-messages', BASH)],
    }
    const said = say('anthropic-messages', body)
    expect(said.calls).toMatchObject([{ name: 'Bash' }])
    const next = goOn('anthropic-messages', body, said, [
      '/home\n<system-reminder>x</system-reminder>',
    ])
    const messages = [
      ...(next['messages'] as JsonObject[]),
      { role: 'system', content: '<total_tokens>9</total_tokens>' },
    ]
    expect(say('anthropic-messages', { ...next, messages }).text).toBe('The tool said: /home')
  })

  test('tools that load later, or that the provider runs, are not called', () => {
    const tools = [
      { name: 'Later', defer_loading: true, input_schema: {} },
      { type: 'web_search_20250305', name: 'web_search' },
      { type: 'bash_20250124', name: 'bash' },
    ]
    const said = say('anthropic-messages', {
      ...ask('anthropic-messages', 'search it with Later or web_search'),
      tools,
    })
    expect(said.calls).toMatchObject([
      { name: 'bash', args: { command: 'echo hello from sluice' } },
    ])
  })

  test('a title request of an agent gets a title', () => {
    const body = {
      messages: [
        { role: 'system', content: 'You are a title generator.' },
        { role: 'user', content: 'Do something dangerous with a tool' },
      ],
    }
    expect(say('openai-chat', body).text).toBe('Sluice demo')
  })

  test('Codex in code mode gets a script for its namespaced tool', () => {
    const input = [
      {
        type: 'additional_tools',
        role: 'developer',
        tools: [
          { type: 'namespace', name: 'clock', tools: [{ type: 'function', name: 'sleep' }] },
          {
            type: 'namespace',
            name: 'functions',
            tools: [
              { type: 'custom', name: 'exec' },
              { type: 'function', name: 'wait' },
            ],
          },
        ],
      },
      { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Title' }] },
      {
        type: 'message',
        role: 'user',
        content: [{ type: 'input_text', text: '<environment_context>error</environment_context>' }],
      },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'run `id "-u"`' }] },
    ]
    const said = say('openai-responses', { input })
    expect(said.calls).toMatchObject([
      {
        name: 'exec',
        arguments: 'const r = await tools.exec_command({"cmd":"id \\"-u\\""});\ntext(r.output);',
      },
    ])
    expect(said.raw).toContain('"namespace":"functions"')
    const output = [
      { type: 'input_text', text: 'Script completed' },
      { type: 'input_text', text: '0' },
    ]
    const item = { type: 'custom_tool_call_output', call_id: said.calls[0]?.id, output }
    const call = { type: 'custom_tool_call', call_id: said.calls[0]?.id, name: 'exec', input: '' }
    expect(say('openai-responses', { input: [...input, call, item] }).text).toBe(
      'The tool said: Script completed 0',
    )
  })

  test('custom tools get text', () => {
    const tools = [
      { type: 'custom', name: 'apply_patch', format: { type: 'grammar' } },
      { type: 'function', name: 'exec_command', parameters: schemaOf({ cmd: TEXT }) },
    ]
    const body = (prompt: string) => ({ ...ask('openai-responses', prompt), tools })
    expect(say('openai-responses', body('edit it')).calls).toMatchObject([
      { name: 'apply_patch', arguments: expect.stringMatching(/^\*\*\* Begin Patch\n/) },
    ])
    expect(say('openai-responses', body('call apply_patch `*** text`')).calls).toMatchObject([
      { name: 'apply_patch', arguments: '*** text' },
    ])
    expect(say('openai-responses', body('run it')).calls).toMatchObject([
      { name: 'exec_command', args: { cmd: 'echo hello from sluice' } },
    ])
  })

  test.each([
    ['local_shell', 'local_shell_call', { command: ['bash', '-lc', 'pwd'] }],
    ['shell', 'shell_call', { commands: ['pwd'] }],
  ])('the built-in %s gets a call of its own kind', (type, item, args) => {
    const said = say('openai-responses', {
      ...ask('openai-responses', 'run `pwd`'),
      tools: [{ type }],
    })
    expect(said.calls).toMatchObject([{ args }])
    expect(said.raw).toContain(`"type":"${item}"`)
  })

  test('results behind their own calls are all quoted', () => {
    const call = (id: string) => ({
      type: 'function_call',
      call_id: id,
      name: 'x',
      arguments: '{}',
    })
    const output = (id: string) => ({ type: 'function_call_output', call_id: id, output: id })
    const input = [{ role: 'user', content: 'Go' }, call('a'), output('a'), call('b'), output('b')]
    expect(say('openai-responses', { input }).text).toBe('The tool said: a\nThe tool said: b')
  })

  test('results without anything before them are answered', () => {
    const output = { type: 'function_call_output', call_id: 'a', output: 'fine' }
    const body = { model: 'demo-loop', previous_response_id: 'resp_1', input: [output] }
    expect(say('openai-responses', body).text).toBe('The tool said: fine')
  })

  test('what the tools said is answered, whatever words the prompt had', () => {
    const messages = [
      { role: 'user', content: 'Find the error in a long file' },
      { role: 'assistant', content: '', tool_calls: [{ id: 'a', type: 'function' }] },
      { role: 'tool', tool_call_id: 'a', content: 'Found' },
    ]
    expect(say('openai-chat', { messages }).text).toBe('The tool said: Found')
  })

  test('a tool that failed is said to have failed', () => {
    const result = { type: 'tool_result', tool_use_id: 'a', content: 'no', is_error: true }
    const body = { messages: [{ role: 'user', content: [result] }] }
    expect(say('anthropic-messages', body).text).toBe('The tool failed: no')
  })
})
