/**
 * An upstream that tells a call twice, and not the same: clients run what they heard last, and a policy
 * has judged what came first. Such a frame does not leave, on its own wire either.
 */
import { expect, test } from 'vitest'
import type { WireName } from '../../src/index.ts'
import { assemble, encode, readEvents } from '../support/pipeline.ts'

const sse = (...payloads: (object | string)[]): Uint8Array =>
  new TextEncoder().encode(
    payloads
      .map((payload) => {
        const type =
          typeof payload === 'object' && 'type' in payload ? String(payload.type) : undefined
        const data = typeof payload === 'string' ? payload : JSON.stringify(payload)
        return `${type === undefined ? '' : `event: ${type}\n`}data: ${data}\n\n`
      })
      .join(''),
  )

const chunk = (delta: object, more: object = {}): object => ({
  id: 'c',
  model: 'm',
  choices: [{ index: 0, delta, ...more }],
})
const head = {
  index: 0,
  id: 'call_1',
  type: 'function',
  function: { name: 'look', arguments: '{"at":1}' },
}
const other = { ...head, function: { name: 'look', arguments: '{"at":999}' } }

const item = (text: string): object => ({
  id: 'fc_1',
  type: 'function_call',
  call_id: 'call_1',
  name: 'look',
  arguments: text,
})
const response = (status: string, ...output: object[]): object => ({
  id: 'r',
  model: 'm',
  status,
  output,
})
const called = [
  { type: 'response.created', response: response('in_progress') },
  { type: 'response.output_item.added', output_index: 0, item: item('') },
  {
    type: 'response.function_call_arguments.delta',
    output_index: 0,
    item_id: 'fc_1',
    delta: '{"at":1}',
  },
]
const usage = { input_tokens: 1, output_tokens: 1 }
const block = { type: 'tool_use', id: 'toolu_1', name: 'look', input: {} }

const STREAMS: readonly [string, WireName, Uint8Array][] = [
  [
    'arguments.done says other arguments',
    'openai-responses',
    sse(...called, {
      type: 'response.function_call_arguments.done',
      output_index: 0,
      item_id: 'fc_1',
      arguments: '{"at":999}',
    }),
  ],
  [
    'the done item says other arguments',
    'openai-responses',
    sse(...called, {
      type: 'response.output_item.done',
      output_index: 0,
      item: item('{"at":999}'),
    }),
  ],
  [
    'the terminal event says other arguments',
    'openai-responses',
    sse(
      ...called,
      { type: 'response.output_item.done', output_index: 0, item: item('{"at":1}') },
      { type: 'response.completed', response: response('completed', item('{"at":999}')) },
    ),
  ],
  [
    'a delta comes after the stop of its block',
    'anthropic-messages',
    sse(
      {
        type: 'message_start',
        message: { id: 'm', model: 'm', role: 'assistant', content: [], usage },
      },
      { type: 'content_block_start', index: 0, content_block: block },
      { type: 'content_block_stop', index: 0 },
      {
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'input_json_delta', partial_json: '{"at":999}' },
      },
      { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage },
      { type: 'message_stop' },
    ),
  ],
  [
    'arguments come after the finish',
    'openai-chat',
    sse(
      chunk({ role: 'assistant', tool_calls: [head] }),
      chunk({}, { finish_reason: 'tool_calls' }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '999' } }] }),
      '[DONE]',
    ),
  ],
  [
    'a message beside the delta has other calls',
    'openai-chat',
    sse(
      chunk({ role: 'assistant', tool_calls: [head] }),
      chunk(
        {},
        { finish_reason: 'tool_calls', message: { role: 'assistant', tool_calls: [other] } },
      ),
      '[DONE]',
    ),
  ],
]

test.each(STREAMS)('%s (%s): the answer ends as an error, without it', (_, wire, bytes) => {
  const events = readEvents(wire, [bytes])
  expect(assemble(events).error?.kind).toBe('bad-stream')
  const out = encode(wire, events)
  expect(out.text).not.toContain('999')
  expect(assemble(readEvents(wire, [out.bytes])).error).toBeDefined()
})

test('a message beside the delta that says the same is no contradiction', () => {
  const bytes = sse(
    chunk({ role: 'assistant', tool_calls: [head] }, { message: { tool_calls: [head] } }),
    chunk({}, { finish_reason: 'tool_calls', message: { role: 'assistant', tool_calls: [head] } }),
    '[DONE]',
  )
  const events = readEvents('openai-chat', [bytes])
  expect(assemble(events).error).toBeUndefined()
  expect(Buffer.from(encode('openai-chat', events).bytes).equals(Buffer.from(bytes))).toBe(true)
})
