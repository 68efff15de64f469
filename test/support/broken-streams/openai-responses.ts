/**
 * Broken streams of OpenAI Responses. Neighbours: `../broken-streams.ts` has the changes.
 */
import type { RULES } from '../../../src/wire/openai-responses/rules.ts'
import {
  drop,
  insert,
  move,
  replace,
  set,
  toSse,
  type BrokenStream,
  type SseFrame,
} from '../broken-streams.ts'

type Data = Readonly<Record<string, unknown>>

const event = (type: string, rest: Data = {}): SseFrame => ({
  event: type,
  data: { type, ...rest },
})

const usage = {
  input_tokens: 10,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 20,
  output_tokens_details: { reasoning_tokens: 5 },
  total_tokens: 30,
}
const response = (status: string, output: readonly Data[] = []): Data => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  model: 'gpt',
  status,
  error: null,
  incomplete_details: null,
  output,
  usage: status === 'in_progress' ? null : usage,
})
const added = (output_index: number, item: Data): SseFrame =>
  event('response.output_item.added', { output_index, item })
const itemDone = (output_index: number, item: Data): SseFrame =>
  event('response.output_item.done', { output_index, item })

const part = (text: string): Data => ({ type: 'output_text', text, annotations: [], logprobs: [] })
const inReasoning = { item_id: 'rs_1', output_index: 0, summary_index: 0 }
const inMessage = { item_id: 'msg_1', output_index: 1, content_index: 0 }
const inCall = { item_id: 'fc_1', output_index: 2 }

const thought = { type: 'summary_text', text: 'The user wants the weather.' }
const reasoning = { id: 'rs_1', type: 'reasoning', summary: [thought] }
const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [part('Let me look.')],
}
const call = {
  id: 'fc_1',
  type: 'function_call',
  call_id: 'call_1',
  name: 'weather',
  arguments: '{"city":"Bern"}',
  status: 'completed',
}

/** Reasoning, text and a call: everything that rules speak of. */
const full: readonly SseFrame[] = [
  event('response.created', { response: response('in_progress') }), // 1
  event('response.in_progress', { response: response('in_progress') }), // 2
  added(0, { ...reasoning, summary: [] }), // 3
  event('response.reasoning_summary_part.added', {
    ...inReasoning,
    part: { ...thought, text: '' },
  }), // 4
  event('response.reasoning_summary_text.delta', { ...inReasoning, delta: 'The user wants ' }), // 5
  event('response.reasoning_summary_text.delta', { ...inReasoning, delta: 'the weather.' }), // 6
  event('response.reasoning_summary_text.done', { ...inReasoning, text: thought.text }), // 7
  event('response.reasoning_summary_part.done', { ...inReasoning, part: thought }), // 8
  itemDone(0, reasoning), // 9
  added(1, { ...message, status: 'in_progress', content: [] }), // 10
  event('response.content_part.added', { ...inMessage, part: part('') }), // 11
  event('response.output_text.delta', { ...inMessage, delta: 'Let me ', logprobs: [] }), // 12
  event('response.output_text.delta', { ...inMessage, delta: 'look.', logprobs: [] }), // 13
  event('response.output_text.done', { ...inMessage, text: 'Let me look.', logprobs: [] }), // 14
  event('response.content_part.done', { ...inMessage, part: part('Let me look.') }), // 15
  itemDone(1, message), // 16
  added(2, { ...call, arguments: '', status: 'in_progress' }), // 17
  event('response.function_call_arguments.delta', { ...inCall, delta: '{"city":' }), // 18
  event('response.function_call_arguments.delta', { ...inCall, delta: '"Bern"}' }), // 19
  event('response.function_call_arguments.done', { ...inCall, arguments: call.arguments }), // 20
  itemDone(2, call), // 21
  event('response.completed', { response: response('completed', [reasoning, message, call]) }), // 22
]

const error = event('error', {
  code: 'server_error',
  message: 'Overloaded',
  param: null,
  error: { type: 'server_error', code: 'server_error', message: 'Overloaded', param: null },
})
const failed = event('response.failed', {
  response: { ...response('failed'), error: { code: 'server_error', message: 'Overloaded' } },
})

/** The stream with its sequence numbers, which count whatever was done to it before. */
const numbered = (frames: readonly SseFrame[]): string => toSse(withNumbers(frames))

const withNumbers = (frames: readonly SseFrame[]): readonly SseFrame[] => {
  let next = 0
  return frames.map((frame) =>
    typeof frame.data === 'object'
      ? { ...frame, data: { ...frame.data, sequence_number: next++ } }
      : frame,
  )
}

export const legal: Readonly<Record<string, string>> = {
  'reasoning, text and a call': numbered(full),
  'an answer without items': numbered([
    ...full.slice(0, 2),
    event('response.completed', { response: response('completed') }),
  ]),
  'keepalives between the events': numbered(insert(full, 13, event('keepalive'))),
  'comments between all frames': numbered(full).replaceAll('\n\n', '\n\n: keepalive\n\n'),
  'an answer that the limit cut off': numbered([
    ...full.slice(0, 21),
    event('response.incomplete', {
      response: {
        ...response('incomplete', [reasoning, message, call]),
        incomplete_details: { reason: 'max_output_tokens' },
      },
    }),
  ]),
  'an error in the middle': numbered([...full.slice(0, 13), error]),
  'an error and a failure in the middle': numbered([...full.slice(0, 13), error, failed]),
  'a failure in the middle': numbered([...full.slice(0, 13), failed]),
  'an error instead of an answer': numbered([error]),
}

type Rule = keyof typeof RULES

const broken = (
  rule: Rule,
  what: string,
  frame: number,
  frames: readonly SseFrame[],
  more: Partial<BrokenStream> = {},
): BrokenStream => ({ rule, what, frame, body: numbered(frames), legal: numbered(full), ...more })

const terminalOutput = (frames: readonly SseFrame[], output: unknown): SseFrame[] =>
  set(frames, frames.length, 'response.output', output)

const annotation = event('response.output_text.annotation.added', {
  ...inMessage,
  annotation_index: 0,
  annotation: {
    type: 'url_citation',
    url: 'https://a.example',
    title: 'A',
    start_index: 0,
    end_index: 3,
  },
})
const annotated = insert(set(full, 11, 'part.annotations', undefined), 14, annotation)

export const brokenStreams: readonly BrokenStream[] = [
  broken('S1', 'the last blank line is missing', 22, full, { body: numbered(full).slice(0, -1) }),
  broken(
    'S2',
    'a frame is cut in the middle of its JSON',
    12,
    insert(full, 12, { event: 'keepalive', data: '{"type":' }),
  ),
  broken(
    'S3',
    'an event has no data',
    12,
    insert(full, 12, { event: 'response.output_text.delta' }),
  ),
  broken(
    'S4',
    'a line is no field',
    12,
    replace(full, 12, (frame) => ({ ...frame, line: 'hello' })),
  ),
  broken(
    'S6',
    'a frame has no event line',
    12,
    replace(full, 12, ({ data }) => ({ data })),
  ),
  broken(
    'S6',
    'a frame has another event line',
    12,
    replace(full, 12, (frame) => ({ ...frame, event: 'delta' })),
  ),
  broken('S6-type', 'the type stands only in the event line', 12, set(full, 12, 'type', undefined)),
  broken('S7', '[DONE] comes behind the response', 23, [...full, { data: '[DONE]' }]),
  broken('C1', 'response.created is missing', 1, drop(full, 1)),
  broken('C1', 'a keepalive comes first', 1, insert(full, 1, event('keepalive'))),
  broken('C2', 'a sequence_number is left out', 2, full, {
    body: toSse(withNumbers(insert(full, 2, event('keepalive'))).toSpliced(1, 1)),
  }),
  broken('C3', 'the response gets another id', 22, set(full, 22, 'response.id', 'resp_2')),
  broken('C3', 'the response has no id at first', 2, set(full, 1, 'response.id', undefined)),
  broken('C4', 'an item is never added', 17, drop(full, 17)),
  broken('C4', 'a delta says no output_index', 12, set(full, 12, 'output_index', undefined), {
    also: ['C11'],
  }),
  broken(
    'C5',
    'an output_index is left out',
    17,
    [17, 18, 19, 20, 21].reduce((frames, n) => set(frames, n, 'output_index', 3), full),
  ),
  broken('C6', 'a delta names another item', 12, set(full, 12, 'item_id', 'msg_2')),
  broken('C6', 'a delta names no item', 12, set(full, 12, 'item_id', undefined)),
  broken(
    'C7',
    'two items have one id',
    17,
    [18, 19, 20].reduce(
      (frames, n) => set(frames, n, 'item_id', 'msg_1'),
      set(set(full, 17, 'item.id', 'msg_1'), 21, 'item.id', 'msg_1'),
    ),
  ),
  broken(
    'C7',
    'a call has no call_id',
    17,
    set(
      set(
        terminalOutput(full, [reasoning, message, { ...call, call_id: undefined }]),
        17,
        'item.call_id',
        undefined,
      ),
      21,
      'item.call_id',
      undefined,
    ),
  ),
  broken(
    'C8',
    'a call is done with another call_id',
    21,
    set(
      terminalOutput(full, [reasoning, message, { ...call, call_id: 'call_2' }]),
      21,
      'item.call_id',
      'call_2',
    ),
  ),
  broken('C9', 'a part is never added', 11, drop(full, 11)),
  broken('C9', 'a part is added with another index', 11, set(full, 11, 'content_index', 1)),
  broken(
    'C9',
    'a message is added without a list of parts',
    10,
    set(full, 10, 'item.content', undefined),
  ),
  broken(
    'C9',
    'a part is added for another kind of text',
    12,
    set(full, 11, 'part', { type: 'refusal', refusal: '' }),
  ),
  broken('C9', 'a part is added without its text', 11, set(full, 11, 'part.text', undefined)),
  broken('C9', 'an annotation comes into a part without a list of them', 14, annotated),
  broken('C9', 'another part is done', 15, set(full, 15, 'content_index', 1)),
  broken('C10', 'a summary is never added', 4, drop(full, 4)),
  broken('C10', 'a summary is added twice', 5, insert(full, 5, ...full.slice(3, 4))),
  broken(
    'C10',
    'reasoning is added without a list of summaries',
    4,
    set(full, 3, 'item.summary', undefined),
  ),
  broken('C10', 'another summary is done', 8, set(full, 8, 'summary_index', 1)),
  broken('C11', 'done says more than the deltas', 14, set(full, 14, 'text', 'Let me look it up.')),
  broken(
    'C12',
    'a call is added without arguments',
    17,
    set(full, 17, 'item.arguments', undefined),
  ),
  broken('C14', 'a delta comes when its item is done', 17, insert(full, 17, ...full.slice(12, 13))),
  broken('C15', 'nothing says the end', 21, drop(full, 22)),
  broken('C16', 'the end lists no items', 22, terminalOutput(full, [])),
  broken('C16', 'the end leaves an item out', 22, terminalOutput(full, [reasoning, message])),
  broken('C16', 'the end has no output', 22, terminalOutput(full, undefined)),
  broken('C16', 'the end has no response', 22, set(full, 22, 'response', undefined)),
  broken(
    'C16',
    'the end lists an item without its id',
    22,
    terminalOutput(full, [reasoning, message, { ...call, id: undefined }]),
  ),
  broken(
    'C16',
    'the end lists a message without its parts',
    22,
    terminalOutput(full, [reasoning, { ...message, content: null }, call]),
  ),
  broken(
    'C16-other',
    'the end says another text',
    22,
    terminalOutput(full, [reasoning, { ...message, content: [part('Let me see.')] }, call]),
  ),
  broken('C17', 'something comes behind the end', 23, [...full, event('keepalive')]),
  broken(
    'C18',
    'an event that no SDK knows',
    3,
    insert(full, 3, event('response.metadata', { metadata: {} })),
  ),
  broken(
    'C21',
    'the response starts without output',
    1,
    set(full, 1, 'response.output', undefined),
  ),
  broken('C21', 'the response starts without a response', 1, set(full, 1, 'response', undefined)),
  broken('C22', 'in_progress comes when there are items', 3, move(full, 2, 3)),
]
