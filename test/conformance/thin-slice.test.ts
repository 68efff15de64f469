/**
 * The slice through the whole: one small stream per wire, one of its two tool calls denied by a policy
 * of ten lines, written on each of the three wires and read by every official SDK of that wire.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  belongsToBlock,
  createStreamContext,
  createStreamProcessor,
  textBlock,
  toBytes,
  WIRE_NAMES,
  WIRES,
  type StreamEvent,
  type StreamProcessor,
  type WireName,
} from '../../src/index.ts'
import { fromUtf8, joinBytes, toUtf8 } from '../support/bytes.ts'
import { openCourt, type Court } from '../support/judges.ts'
import { lint, squeeze } from '../support/pipeline.ts'
import { decodeAll } from '../support/streams.ts'

const NOTICE = 'This call is not allowed.'

/** The policy: some tools are not allowed. A call waits until it is whole, everything else flows. */
const deny = (...names: readonly string[]): StreamProcessor =>
  createStreamProcessor({
    async onChunk(chunk, { currentBlock: block, justCompleted }, context) {
      if (!belongsToBlock(chunk)) return
      if (block?.type !== 'tool-call') return await context.send(chunk)
      const held = context.state(`call ${block.index}`, (): StreamEvent[] => [])
      held.push(chunk)
      if (justCompleted === undefined) return
      await context.send(...(names.includes(block.name) ? textBlock(NOTICE) : held))
    },
  })

const messages = (type: string, rest: object = {}): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`
const block = (index: number, content_block: object, ...deltas: readonly object[]): string =>
  [
    messages('content_block_start', { index, content_block }),
    ...deltas.map((delta) => messages('content_block_delta', { index, delta })),
    messages('content_block_stop', { index }),
  ].join('')
const tool = (index: number, id: string, name: string, ...pieces: readonly string[]): string =>
  block(
    index,
    { type: 'tool_use', id, name, input: {} },
    ...pieces.map((partial_json) => ({ type: 'input_json_delta', partial_json })),
  )

const chunk = (delta: object, finish_reason: string | null = null): string =>
  `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason }] })}\n\n`
const fragment = (index: number, rest: object): string =>
  chunk({ tool_calls: [{ index, ...rest }] })

let sequence = 0
const responses = (type: string, rest: object): string =>
  messages(type, { sequence_number: sequence++, ...rest })
const response = {
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  model: 'm',
  status: 'in_progress',
  output: [],
}
const call = (id: string, name: string, args: string): object => ({
  id: `fc_${id}`,
  type: 'function_call',
  call_id: id,
  name,
  arguments: args,
  status: 'completed',
})
const callItem = (
  output_index: number,
  id: string,
  name: string,
  ...pieces: readonly string[]
): string => {
  const at = { item_id: `fc_${id}`, output_index }
  return [
    responses('response.output_item.added', { output_index, item: call(id, name, '') }),
    ...pieces.map((delta) => responses('response.function_call_arguments.delta', { ...at, delta })),
    responses('response.function_call_arguments.done', { ...at, arguments: pieces.join('') }),
    responses('response.output_item.done', { output_index, item: call(id, name, pieces.join('')) }),
  ].join('')
}
const part = { type: 'output_text', text: 'Let me look.', annotations: [], logprobs: [] }
const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [part],
}
const inMessage = { item_id: 'msg_1', output_index: 0, content_index: 0 }

/** Text, a call to `weather`, a call to `delete_file`, and what it cost: the same answer three times. */
const STREAMS: Readonly<Record<WireName, string>> = {
  'anthropic-messages': [
    messages('message_start', {
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'm',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 12, output_tokens: 1 },
      },
    }),
    block(
      0,
      { type: 'text', text: '' },
      { type: 'text_delta', text: 'Let me ' },
      { type: 'text_delta', text: 'look.' },
    ),
    tool(1, 'call_a', 'weather', '{"city":', '"Bern"}'),
    tool(2, 'call_b', 'delete_file', '{"path":', '"/etc/passwd"}'),
    messages('message_delta', {
      delta: { stop_reason: 'tool_use', stop_sequence: null },
      usage: { output_tokens: 34 },
    }),
    messages('message_stop'),
  ].join(''),
  'openai-chat': [
    chunk({ role: 'assistant', content: '' }),
    chunk({ content: 'Let me ' }),
    chunk({ content: 'look.' }),
    fragment(0, { id: 'call_a', type: 'function', function: { name: 'weather', arguments: '' } }),
    fragment(0, { function: { arguments: '{"city":' } }),
    fragment(0, { function: { arguments: '"Bern"}' } }),
    fragment(1, {
      id: 'call_b',
      type: 'function',
      function: { name: 'delete_file', arguments: '' },
    }),
    fragment(1, { function: { arguments: '{"path":' } }),
    fragment(1, { function: { arguments: '"/etc/passwd"}' } }),
    chunk({}, 'tool_calls'),
    `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [], usage: { prompt_tokens: 12, completion_tokens: 34, total_tokens: 46 } })}\n\n`,
    'data: [DONE]\n\n',
  ].join(''),
  'openai-responses': [
    responses('response.created', { response }),
    responses('response.in_progress', { response }),
    responses('response.output_item.added', {
      output_index: 0,
      item: { ...message, status: 'in_progress', content: [] },
    }),
    responses('response.content_part.added', { ...inMessage, part: { ...part, text: '' } }),
    responses('response.output_text.delta', { ...inMessage, delta: 'Let me ', logprobs: [] }),
    responses('response.output_text.delta', { ...inMessage, delta: 'look.', logprobs: [] }),
    responses('response.output_text.done', { ...inMessage, text: part.text, logprobs: [] }),
    responses('response.content_part.done', { ...inMessage, part }),
    responses('response.output_item.done', { output_index: 0, item: message }),
    callItem(1, 'call_a', 'weather', '{"city":', '"Bern"}'),
    callItem(2, 'call_b', 'delete_file', '{"path":', '"/etc/passwd"}'),
    responses('response.completed', {
      response: {
        ...response,
        status: 'completed',
        output: [
          message,
          call('call_a', 'weather', '{"city":"Bern"}'),
          call('call_b', 'delete_file', '{"path":"/etc/passwd"}'),
        ],
        usage: {
          input_tokens: 12,
          input_tokens_details: { cached_tokens: 0 },
          output_tokens: 34,
          output_tokens_details: { reasoning_tokens: 0 },
          total_tokens: 46,
        },
      },
    }),
  ].join(''),
}

/** How an answer with calls ends, and one that is simply over. */
const ENDS: Readonly<Record<WireName, { calls: string; done: string }>> = {
  'anthropic-messages': { calls: 'tool_use', done: 'end_turn' },
  'openai-chat': { calls: 'tool_calls', done: 'stop' },
  'openai-responses': { calls: 'completed', done: 'completed' },
}

const PAIRS = WIRE_NAMES.flatMap((from) => WIRE_NAMES.map((to) => ({ from, to })))

async function run(
  from: WireName,
  to: WireName,
  policy: StreamProcessor,
): Promise<{ bytes: Uint8Array; text: string }> {
  const encoder = WIRES[to].createEncoder()
  const written: Uint8Array[] = []
  const context = createStreamContext({
    send: (event) => {
      for (const one of encoder.push(event)) written.push(toBytes(one))
    },
  })
  await policy.process(decodeAll(from, [toUtf8(STREAMS[from])]), context)
  for (const one of encoder.end()) written.push(toBytes(one))
  const bytes = joinBytes(written)
  return { bytes, text: fromUtf8(bytes) }
}

let court: Court
beforeAll(async () => {
  court = await openCourt()
})
afterAll(async () => await court.close())

/** What every SDK makes of it; blank lines between paragraphs are the wire's own business. */
async function hear(to: WireName, bytes: Uint8Array): Promise<object[]> {
  const judgements = await court.hear(to, bytes, [50, 500, 900])
  return Object.values(judgements).map(({ error, text, calls, finish, usage }) => ({
    error,
    text: squeeze(text),
    calls,
    finish,
    tokens: tokensOf(usage),
  }))
}

/** Input and output, whatever the wire calls them. */
function tokensOf(usage: unknown): unknown[] {
  const { prompt_tokens, input_tokens, completion_tokens, output_tokens } = usage as Record<
    string,
    unknown
  >
  return [prompt_tokens ?? input_tokens, completion_tokens ?? output_tokens]
}

describe.each(PAIRS)('from $from to $to', ({ from, to }) => {
  test('a denied call is gone and the other one is left, for every SDK', async () => {
    const { bytes, text } = await run(from, to, deny('delete_file'))
    expect(text).not.toMatch(/delete_file|passwd|call_b/)
    expect(lint(to, bytes)).toEqual([])
    const heard = await hear(to, bytes)
    expect(heard.length).toBeGreaterThan(0)
    for (const one of heard)
      expect(one).toEqual({
        error: undefined,
        text: squeeze(`Let me look.${NOTICE}`),
        calls: [{ id: 'call_a', name: 'weather', arguments: '{"city":"Bern"}' }],
        finish: ENDS[to].calls,
        tokens: [12, 34],
      })
  })

  test('the answer ends as a normal one when all its calls are denied, for every SDK', async () => {
    const { bytes, text } = await run(from, to, deny('weather', 'delete_file'))
    expect(text).not.toMatch(/weather|delete_file|Bern|passwd|call_a|call_b/)
    expect(lint(to, bytes)).toEqual([])
    for (const one of await hear(to, bytes))
      expect(one).toEqual({
        error: undefined,
        text: squeeze(`Let me look.${NOTICE}${NOTICE}`),
        calls: [],
        finish: ENDS[to].done,
        tokens: [12, 34],
      })
  })

  test('the text does not wait for the calls', async () => {
    const encoder = WIRES[to].createEncoder()
    const written: string[] = []
    const seen: string[] = []
    const context = createStreamContext({
      send: (event) => {
        for (const one of encoder.push(event)) written.push(fromUtf8(toBytes(one)))
      },
    })
    function* watch(events: readonly StreamEvent[]): Generator<StreamEvent> {
      for (const event of events) {
        if (event.type === 'block-start' && event.block.type === 'tool-call')
          seen.push(written.join(''))
        yield event
      }
    }
    await deny('delete_file').process(watch(decodeAll(from, [toUtf8(STREAMS[from])])), context)
    expect(seen[0]).toContain('look.')
    expect(seen[0]).not.toContain('weather')
    expect(seen[1]).toContain('weather')
  })
})

test('nothing is changed when nothing is denied', async () => {
  for (const wire of WIRE_NAMES) expect((await run(wire, wire, deny())).text).toBe(STREAMS[wire])
})
