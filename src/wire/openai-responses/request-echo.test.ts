import { expect, test } from 'vitest'
import { parseObject, toObject, type JsonObject } from '../../base/json.ts'
import type { BlockInfo } from '../../event/block.ts'
import type { StreamEvent, WireName } from '../../event/event.ts'
import { unseal } from '../envelope.ts'
import { createEncoder } from './encode.ts'
import { toEncoderOptions } from './request-echo.ts'

const REQUEST: JsonObject = {
  model: 'm',
  input: 'Hi',
  instructions: 'Be brief.',
  tools: [{ type: 'function', name: 'run', parameters: {}, strict: false }],
  tool_choice: 'required',
  temperature: 0.5,
  max_output_tokens: 100,
  parallel_tool_calls: false,
  reasoning: { effort: 'low' },
  text: { verbosity: 'low' },
  metadata: { a: 'b' },
  previous_response_id: 'resp_1',
}

/** The payloads of the frames that these events become. */
function encode(wire: WireName, events: readonly StreamEvent[], request = REQUEST): JsonObject[] {
  const encoder = createEncoder({ ...toEncoderOptions(request), now: () => 1, createId: () => 'x' })
  const start: StreamEvent = { type: 'message-start', id: 'msg_1', model: 'm', wire }
  const all = [start, ...events, { type: 'finish', reason: 'stop' }, { type: 'message-stop' }]
  return (all as StreamEvent[])
    .flatMap((event) => encoder.push(event))
    .map((frame) => parseObject(String(frame).replace(/^[^]*?data: /, '')) ?? {})
}

function callEvents(call: Partial<BlockInfo>, text: string): readonly StreamEvent[] {
  const base = { id: 'call_1', index: 0, type: 'tool-call', name: 'run', dialect: 'function' }
  const block = { ...base, ...call } as BlockInfo
  return [
    { type: 'block-start', block },
    { type: 'block-delta', block, delta: { type: 'arguments', text: text.slice(0, 4) } },
    { type: 'block-delta', block, delta: { type: 'arguments', text: text.slice(4) } },
    { type: 'block-stop', block },
  ]
}

const outputOf = (frames: readonly JsonObject[]): unknown =>
  toObject(frames.at(-1)?.['response'])?.['output']

test('an answer of another wire repeats what was asked, from its first frame to its last', () => {
  const frames = encode('anthropic-messages', [])
  for (const { response } of frames)
    expect(response).toMatchObject({
      instructions: 'Be brief.',
      tools: REQUEST['tools'],
      tool_choice: 'required',
      temperature: 0.5,
      top_p: null,
      max_output_tokens: 100,
      parallel_tool_calls: false,
      reasoning: { effort: 'low', summary: null },
      text: { verbosity: 'low', format: { type: 'text' } },
      metadata: { a: 'b' },
      previous_response_id: 'resp_1',
      truncation: 'disabled',
      store: true,
      model: 'm',
    })
})

test('what has the wrong kind is not repeated', () => {
  const { echo } = toEncoderOptions({ tools: 'x', metadata: [], temperature: 'hot', store: 1 })
  expect(echo).toEqual({ store: true })
})

test('a call has the namespace of its tool', () => {
  const frames = encode('openai-chat', callEvents({ namespace: 'functions' } as never, '{}'))
  expect(outputOf(frames)).toMatchObject([{ type: 'function_call', namespace: 'functions' }])
})

test.each([
  [
    'local-shell',
    { command: ['ls', '-l'] },
    { type: 'local_shell_call', action: { type: 'exec', command: ['ls', '-l'], env: {} } },
  ],
  [
    'shell',
    { commands: ['ls'], timeout_ms: 5 },
    {
      type: 'shell_call',
      action: { commands: ['ls'], timeout_ms: 5, max_output_length: null },
    },
  ],
  [
    'apply-patch',
    { operation: { type: 'update_file', path: 'a', diff: '@@' } },
    { type: 'apply_patch_call', operation: { type: 'update_file', path: 'a', diff: '@@' } },
  ],
  [
    'computer',
    { type: 'click', x: 1, y: 2 },
    { type: 'computer_call', action: { type: 'click', x: 1, y: 2 }, pending_safety_checks: [] },
  ],
] as const)(
  'a %s call of another model is the client’s own item, said whole',
  (dialect, args, item) => {
    const frames = encode(
      'anthropic-messages',
      callEvents({ dialect } as never, JSON.stringify(args)),
    )
    expect(frames.map(({ type }) => type)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.output_item.done',
      'response.completed',
    ])
    expect(frames[2]?.['item']).toMatchObject({ ...item, status: 'in_progress' })
    expect(frames[3]?.['item']).toMatchObject({ ...item, call_id: 'call_1', status: 'completed' })
    expect(outputOf(frames)).toEqual([frames[3]?.['item']])
  },
)

test('arguments that are no action go to the client as a function call that it can refuse', () => {
  const frames = encode('openai-chat', callEvents({ dialect: 'shell' } as never, '{"x":true}'))
  expect(frames.slice(2, -1).map(({ type }) => type)).toEqual([
    'response.output_item.added',
    'response.function_call_arguments.delta',
    'response.function_call_arguments.done',
    'response.output_item.done',
  ])
  expect(outputOf(frames)).toMatchObject([
    { type: 'function_call', id: expect.stringMatching(/^fc_/), arguments: '{"x":true}' },
  ])
})

test('an action that was cut off does not look whole', () => {
  const frames = encode(
    'openai-chat',
    callEvents({ dialect: 'shell' } as never, '{"commands":["rm'),
  )
  expect(frames.at(-1)?.['type']).toBe('response.incomplete')
  expect(outputOf(frames)).toMatchObject([{ type: 'function_call', status: 'incomplete' }])
})

const THINKING: BlockInfo = { type: 'thinking', id: 't', index: 0, redacted: false }
const THOUGHTS: readonly StreamEvent[] = [
  { type: 'block-start', block: THINKING },
  { type: 'block-delta', block: THINKING, delta: { type: 'thinking', text: 'An ' } },
  { type: 'block-delta', block: THINKING, delta: { type: 'thinking', text: 'owl' } },
  { type: 'block-delta', block: THINKING, delta: { type: 'signature', signature: 'sig' } },
  { type: 'block-stop', block: THINKING },
]

test.each([[undefined], [{ effort: 'low' }], [{ summary: null }]])(
  'a client that asked for no summary (%j) is told none, and hands the thinking back sealed',
  (reasoning) => {
    const frames = encode('anthropic-messages', THOUGHTS, { model: 'm', reasoning })
    const types = frames.map(({ type }) => String(type))
    expect(types.filter((type) => type.includes('summary'))).toEqual([])
    expect(types.filter((type) => type.includes('output_item'))).toHaveLength(2)
    expect(JSON.stringify(frames)).not.toContain('owl')
    const [item] = outputOf(frames) as JsonObject[]
    expect(item).toMatchObject({ type: 'reasoning', summary: [] })
    expect(unseal(String(item?.['encrypted_content']))).toEqual({
      wire: 'anthropic-messages',
      text: 'An owl',
      signature: 'sig',
    })
  },
)

test.each([[{ summary: 'auto' }], [{ generate_summary: 'concise' }]])(
  'a client that asked for a summary (%j) is told the thinking',
  (reasoning) => {
    const frames = encode('anthropic-messages', THOUGHTS, { model: 'm', reasoning })
    expect(outputOf(frames)).toMatchObject([
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'An owl' }] },
    ])
  },
)

test('an answer of this wire is told as its upstream told it', () => {
  const own: BlockInfo = { ...THINKING, vendor: { type: 'reasoning', id: 'rs_1', summary: [] } }
  const events = THOUGHTS.map((event) => ('block' in event ? { ...event, block: own } : event))
  const frames = encode('openai-responses', events as StreamEvent[])
  expect(JSON.stringify(outputOf(frames))).toContain('An owl')
})
