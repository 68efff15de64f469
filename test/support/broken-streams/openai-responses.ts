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
  toPlace,
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

/** A stream that breaks `rule@frame`. */
const broken = (
  where: `${keyof typeof RULES}@${number}`,
  what: string,
  frames: readonly SseFrame[],
  more: Partial<BrokenStream> = {},
): BrokenStream => ({
  ...toPlace(where),
  what,
  body: numbered(frames),
  legal: numbered(full),
  ...more,
})

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
  broken('S1@22', 'the last blank line is missing', full, { body: numbered(full).slice(0, -1) }),
  broken(
    'S2@12',
    'a frame is cut in the middle of its JSON',
    insert(full, 12, { event: 'keepalive', data: '{"type":' }),
  ),
  broken(
    'S3@12',
    'an event has no data',
    insert(full, 12, { event: 'response.output_text.delta' }),
  ),
  broken(
    'S4@12',
    'a line is no field',
    replace(full, 12, (frame) => ({ ...frame, line: 'hello' })),
  ),
  broken(
    'S6@12',
    'a frame has no event line',
    replace(full, 12, ({ data }) => ({ data })),
  ),
  broken(
    'S6@12',
    'a frame has another event line',
    replace(full, 12, (frame) => ({ ...frame, event: 'delta' })),
  ),
  broken('S6-type@12', 'the type stands only in the event line', set(full, 12, 'type', undefined)),
  broken('S7@23', '[DONE] comes behind the response', [...full, { data: '[DONE]' }]),
  broken('C1@1', 'response.created is missing', drop(full, 1)),
  broken('C1@1', 'a keepalive comes first', insert(full, 1, event('keepalive'))),
  broken('C1@1', 'there is nothing but [DONE]', [{ data: '[DONE]' }], { also: ['C15', 'S7'] }),
  broken('C2@2', 'a sequence_number is left out', full, {
    body: toSse(withNumbers(insert(full, 2, event('keepalive'))).toSpliced(1, 1)),
  }),
  broken('C3@22', 'the response gets another id', set(full, 22, 'response.id', 'resp_2')),
  broken('C3@2', 'the response has no id at first', set(full, 1, 'response.id', undefined)),
  broken('C4@17', 'an item is never added', drop(full, 17)),
  broken('C4@12', 'a delta says no output_index', set(full, 12, 'output_index', undefined), {
    also: ['C11'],
  }),
  broken(
    'C5@17',
    'an output_index is left out',
    [17, 18, 19, 20, 21].reduce((frames, n) => set(frames, n, 'output_index', 3), full),
  ),
  broken('C6@12', 'a delta names another item', set(full, 12, 'item_id', 'msg_2')),
  broken('C6@12', 'a delta names no item', set(full, 12, 'item_id', undefined)),
  broken(
    'C7@17',
    'two items have one id',
    [18, 19, 20].reduce(
      (frames, n) => set(frames, n, 'item_id', 'msg_1'),
      set(set(full, 17, 'item.id', 'msg_1'), 21, 'item.id', 'msg_1'),
    ),
  ),
  broken(
    'C7@17',
    'a call has no call_id',
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
    'C8@21',
    'a call is done with another call_id',
    set(
      terminalOutput(full, [reasoning, message, { ...call, call_id: 'call_2' }]),
      21,
      'item.call_id',
      'call_2',
    ),
  ),
  broken('C9@11', 'a part is never added', drop(full, 11)),
  broken('C9@11', 'a part is added with another index', set(full, 11, 'content_index', 1)),
  broken(
    'C9@10',
    'a message is added without a list of parts',
    set(full, 10, 'item.content', undefined),
  ),
  broken(
    'C9@12',
    'a part is added for another kind of text',
    set(full, 11, 'part', { type: 'refusal', refusal: '' }),
  ),
  broken('C9@11', 'a part is added without its text', set(full, 11, 'part.text', undefined)),
  broken('C9@14', 'an annotation comes into a part without a list of them', annotated),
  broken('C9@15', 'another part is done', set(full, 15, 'content_index', 1)),
  broken('C9@14', 'a text is done without itself', set(full, 14, 'text', undefined)),
  broken('C9@15', 'a part is done without itself', set(full, 15, 'part', undefined)),
  broken('C10@4', 'a summary is never added', drop(full, 4)),
  broken('C10@5', 'a summary is added twice', insert(full, 5, ...full.slice(3, 4))),
  broken(
    'C10@4',
    'reasoning is added without a list of summaries',
    set(full, 3, 'item.summary', undefined),
  ),
  broken('C10@8', 'another summary is done', set(full, 8, 'summary_index', 1)),
  broken('C11@14', 'done says more than the deltas', set(full, 14, 'text', 'Let me look it up.')),
  broken('C12@17', 'a call is added without arguments', set(full, 17, 'item.arguments', undefined)),
  broken('C14@17', 'a delta comes when its item is done', insert(full, 17, ...full.slice(12, 13))),
  broken('C15@21', 'nothing says the end', drop(full, 22)),
  broken('C16@22', 'the end lists no items', terminalOutput(full, [])),
  broken('C16@22', 'the end leaves an item out', terminalOutput(full, [reasoning, message])),
  broken('C16@22', 'the end has no output', terminalOutput(full, undefined)),
  broken('C16@22', 'the end has no response', set(full, 22, 'response', undefined)),
  broken(
    'C16@22',
    'the end lists an item without its id',
    terminalOutput(full, [reasoning, message, { ...call, id: undefined }]),
  ),
  broken(
    'C16@22',
    'the end lists a message without its parts',
    terminalOutput(full, [reasoning, { ...message, content: null }, call]),
  ),
  broken(
    'C16-other@22',
    'the end says another text',
    terminalOutput(full, [reasoning, { ...message, content: [part('Let me see.')] }, call]),
  ),
  broken('C17@23', 'something comes behind the end', [...full, event('keepalive')]),
  broken(
    'C17@15',
    'something comes behind an error',
    [...full.slice(0, 13), error, event('keepalive')],
    { legal: numbered([...full.slice(0, 13), error]) },
  ),
  broken(
    'C18@3',
    'an event that no SDK knows',
    insert(full, 3, event('response.metadata', { metadata: {} })),
  ),
  broken('C21@1', 'the response starts without output', set(full, 1, 'response.output', undefined)),
  broken('C21@1', 'the response starts without a response', set(full, 1, 'response', undefined)),
  broken('C22@3', 'in_progress comes when there are items', move(full, 2, 3)),
]
