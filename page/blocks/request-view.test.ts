import fc from 'fast-check'
import { expect, test } from 'vitest'
import { WIRE_NAMES } from '../../src/wire/wires.ts'
import { readRequestView } from './request-view.ts'

const read = (
  wire: (typeof WIRE_NAMES)[number],
  body: unknown,
): ReturnType<typeof readRequestView> => readRequestView(wire, JSON.stringify(body))

test('reads a request of Claude Code with its calls and what came back', () => {
  const view = read('anthropic-messages', {
    model: 'claude-x',
    stream: true,
    max_tokens: 100,
    system: [{ type: 'text', text: 'Be brief' }],
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'List files' }] },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm', signature: 's' },
          { type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'ls' } },
        ],
      },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 't1', content: 'a\nb', is_error: true }],
      },
    ],
    tools: [{ name: 'Bash', description: 'Runs', input_schema: { type: 'object' } }],
  })
  expect(view.model).toBe('claude-x')
  expect(view.isStream).toBe(true)
  expect(view.system).toEqual([{ type: 'text', text: 'Be brief' }])
  expect(view.turns.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
  expect(view.turns[1]?.parts).toEqual([
    { type: 'thinking', text: 'Hm' },
    { type: 'tool-call', id: 't1', name: 'Bash', content: '{"command":"ls"}' },
  ])
  expect(view.turns[2]?.parts).toEqual([
    { type: 'tool-result', id: 't1', name: 'Bash', text: 'a\nb', isError: true },
  ])
  expect(view.tools).toEqual([{ name: 'Bash', description: 'Runs', schema: { type: 'object' } }])
  expect(view.settings).toEqual({ max_tokens: 100 })
  expect(view.fault).toBeUndefined()
})

test('reads a request of Codex with free-text calls and a local shell', () => {
  const view = read('openai-responses', {
    model: 'gpt-x',
    instructions: 'You are Codex',
    input: [
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Fix it' }] },
      {
        type: 'reasoning',
        summary: [{ type: 'summary_text', text: 'Think' }],
        encrypted_content: 'x',
      },
      { type: 'custom_tool_call', call_id: 'c1', name: 'apply_patch', input: '*** Begin Patch' },
      { type: 'custom_tool_call_output', call_id: 'c1', output: 'done' },
      {
        type: 'local_shell_call',
        id: 'i2',
        call_id: 'c2',
        status: 'completed',
        action: { type: 'exec', command: ['ls', '-l'], env: {} },
      },
      { type: 'local_shell_call_output', id: 'i2', output: 'files' },
    ],
    reasoning: { effort: 'low' },
  })
  expect(view.system).toEqual([{ type: 'text', text: 'You are Codex' }])
  expect(view.turns.flatMap(({ parts }) => parts.map(({ type }) => type))).toEqual([
    'text',
    'thinking',
    'tool-call',
    'tool-result',
    'tool-call',
    'tool-result',
  ])
  expect(view.turns.at(-1)?.parts[0]).toMatchObject({
    id: 'c2',
    name: 'local_shell',
    text: 'files',
  })
  expect(view.settings).toEqual({ reasoning: { effort: 'low' } })
})

test('reads a chat with pictures as what they are and how large', () => {
  const view = read('openai-chat', {
    model: 'm',
    messages: [
      { role: 'system', content: 'S' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look' },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(4000)}` } },
        ],
      },
    ],
  })
  expect(view.system).toEqual([{ type: 'text', text: 'S' }])
  expect(view.turns[0]?.parts[1]).toEqual({ type: 'attachment', says: 'image, image/png, 3.0 KB' })
})

test('says why a request cannot be read, and shows its fields', () => {
  expect(readRequestView('openai-chat', '').fault).toBe('There is no request body')
  expect(readRequestView('openai-chat', '{').fault).toBe('This is no JSON')
  const view = read('anthropic-messages', { model: 'm', messages: 'no' })
  expect(view.fault).toContain('messages')
  expect(view.settings).toEqual({ model: 'm', messages: 'no' })
})

test('throws at nothing', () => {
  const anything = fc.property(fc.constantFrom(...WIRE_NAMES), fc.json(), (wire, text) => {
    expect(readRequestView(wire, text)).toBeDefined()
    expect(readRequestView(wire, `{"model":"m","messages":${text},"input":${text}}`)).toBeDefined()
    expect(
      readRequestView(
        wire,
        `{"model":"m","messages":[${text}],"input":[${text}],"tools":[${text}]}`,
      ),
    ).toBeDefined()
  })
  fc.assert(anything)
  expect(readRequestView('openai-chat', '['.repeat(100_000)).fault).toBeDefined()
})

test('reads a megabyte in far less than a frame is long', () => {
  const turn = (at: number): object[] => [
    {
      role: 'assistant',
      content: [
        { type: 'tool_use', id: `t${at}`, name: 'Bash', input: { command: 'x'.repeat(200) } },
      ],
    },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: `t${at}`, content: 'y'.repeat(2000) }],
    },
  ]
  const messages = [
    { role: 'user', content: 'Go' },
    ...Array.from({ length: 450 }, (_, at) => turn(at)).flat(),
  ]
  const text = JSON.stringify({ model: 'm', max_tokens: 1, messages })
  expect(text.length).toBeGreaterThan(1_000_000)
  // Of this thread's own work: what else the machine does is not counted.
  const times = Array.from({ length: 8 }, () => {
    const from = process.cpuUsage()
    expect(readRequestView('anthropic-messages', text).turns).toHaveLength(901)
    const { user, system } = process.cpuUsage(from)
    return (user + system) / 1000
  })
  expect(Math.min(...times)).toBeLessThan(50)
})
