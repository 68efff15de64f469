/**
 * One small answer as a stream of each wire: a text and a tool call. For tests of what goes around the
 * streams. Knows nothing of ours.
 */
type Json = Readonly<Record<string, unknown>>

const named = (type: string, rest: Json = {}): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`

const chunk = (delta: Json, finish_reason: string | null = null): string =>
  `data: ${JSON.stringify({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason }],
  })}\n\n`

const response = {
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  model: 'm',
  status: 'in_progress',
  output: [],
}
const part = { type: 'output_text', text: 'It rains.', annotations: [], logprobs: [] }
const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [part],
}
const call = {
  id: 'fc_1',
  type: 'function_call',
  call_id: 'call_1',
  name: 'weather',
  arguments: '{"city":"Bern"}',
  status: 'completed',
}
const inMessage = { item_id: 'msg_1', output_index: 0, content_index: 0 }
const inCall = { item_id: 'fc_1', output_index: 1 }

const numbered = (events: readonly (readonly [string, Json])[]): string =>
  events.map(([type, rest], sequence_number) => named(type, { sequence_number, ...rest })).join('')

export const SMALL = {
  'anthropic-messages': [
    named('message_start', {
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
    named('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    named('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'It rains.' } }),
    named('content_block_stop', { index: 0 }),
    named('content_block_start', {
      index: 1,
      content_block: { type: 'tool_use', id: 'call_1', name: 'weather', input: {} },
    }),
    named('content_block_delta', {
      index: 1,
      delta: { type: 'input_json_delta', partial_json: '{"city":"Bern"}' },
    }),
    named('content_block_stop', { index: 1 }),
    named('message_delta', {
      delta: { stop_reason: 'tool_use', stop_sequence: null },
      usage: { output_tokens: 34 },
    }),
    named('message_stop'),
  ].join(''),
  'openai-chat': [
    chunk({ role: 'assistant', content: '' }),
    chunk({ content: 'It rains.' }),
    chunk({
      tool_calls: [
        { index: 0, id: 'call_1', type: 'function', function: { name: 'weather', arguments: '' } },
      ],
    }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: '{"city":"Bern"}' } }] }),
    chunk({}, 'tool_calls'),
    `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [], usage: { prompt_tokens: 12, completion_tokens: 34, total_tokens: 46 } })}\n\n`,
    'data: [DONE]\n\n',
  ].join(''),
  'openai-responses': numbered([
    ['response.created', { response }],
    ['response.in_progress', { response }],
    [
      'response.output_item.added',
      { output_index: 0, item: { ...message, status: 'in_progress', content: [] } },
    ],
    ['response.content_part.added', { ...inMessage, part: { ...part, text: '' } }],
    ['response.output_text.delta', { ...inMessage, delta: 'It rains.', logprobs: [] }],
    ['response.output_text.done', { ...inMessage, text: 'It rains.', logprobs: [] }],
    ['response.content_part.done', { ...inMessage, part }],
    ['response.output_item.done', { output_index: 0, item: message }],
    [
      'response.output_item.added',
      { output_index: 1, item: { ...call, arguments: '', status: 'in_progress' } },
    ],
    ['response.function_call_arguments.delta', { ...inCall, delta: call.arguments }],
    ['response.function_call_arguments.done', { ...inCall, arguments: call.arguments }],
    ['response.output_item.done', { output_index: 1, item: call }],
    [
      'response.completed',
      {
        response: {
          ...response,
          status: 'completed',
          output: [message, call],
          usage: {
            input_tokens: 12,
            input_tokens_details: { cached_tokens: 0 },
            output_tokens: 34,
            output_tokens_details: { reasoning_tokens: 0 },
            total_tokens: 46,
          },
        },
      },
    ],
  ]),
} as const

/** The stream as a test suite dumps it: one JSON chunk a line. */
export const toLines = (sse: string): string =>
  [...sse.matchAll(/^data: (\{.*)$/gm)].map(([, data]) => `${data}\n`).join('')
