/**
 * Broken streams of OpenAI Chat Completions. Neighbours: `../broken-streams.ts` has the changes.
 */
import type { RULES } from '../../../src/wire/openai-chat/rules.ts'
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

const envelope = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'gpt' }
const choice = (delta: Data, finish_reason: string | null = null, index = 0): SseFrame => ({
  data: { ...envelope, choices: [{ index, delta, finish_reason }], usage: null },
})
const head = (index: number, id: string, name: string, args = ''): SseFrame =>
  choice({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: args } }] })
const args = (index: number, piece: string): SseFrame =>
  choice({ tool_calls: [{ index, function: { arguments: piece } }] })
const usage = { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 }
const usageChunk: SseFrame = { data: { ...envelope, choices: [], usage } }
const done: SseFrame = { data: '[DONE]' }
const error: SseFrame = {
  data: { error: { message: 'Overloaded', type: 'server_error', param: null, code: null } },
}

/** Text and two calls: everything that rules speak of. */
const full: readonly SseFrame[] = [
  choice({ role: 'assistant', content: '' }), // 1
  choice({ content: 'Let me ' }), // 2
  choice({ content: 'look.' }), // 3
  head(0, 'call_1', 'weather'), // 4
  args(0, '{"city":'), // 5
  args(0, '"Bern"}'), // 6
  head(1, 'call_2', 'time'), // 7
  args(1, '{"zone":'), // 8
  args(1, '"CET"}'), // 9
  choice({}, 'tool_calls'), // 10
  usageChunk, // 11
  done, // 12
]

/** One call alone. */
const single: readonly SseFrame[] = [
  choice({ role: 'assistant', content: null }), // 1
  head(0, 'call_1', 'weather'), // 2
  args(0, '{"city":'), // 3
  args(0, '"Bern"}'), // 4
  choice({}, 'tool_calls'), // 5
  usageChunk, // 6
  done, // 7
]

const plain: readonly SseFrame[] = [
  choice({ role: 'assistant', content: '' }), // 1
  choice({ content: 'Hello ' }), // 2
  choice({ content: 'there.' }), // 3
  choice({}, 'stop'), // 4
  usageChunk, // 5
  done, // 6
]

const twoChoices: readonly SseFrame[] = [
  choice({ role: 'assistant', content: '' }), // 1
  choice({ role: 'assistant', content: '' }, null, 1), // 2
  choice({ content: 'Hello.' }), // 3
  choice({ content: 'Hi.' }, null, 1), // 4
  choice({}, 'stop'), // 5
  choice({}, 'stop', 1), // 6
  usageChunk, // 7
  done, // 8
]

export const legal: Readonly<Record<string, string>> = {
  'text and two calls': toSse(full),
  'one call alone': toSse(single),
  'text alone': toSse(plain),
  'two choices that take turns': toSse(twoChoices),
  'a refusal': toSse(
    set(set(plain, 2, 'choices.0.delta', { refusal: 'I cannot ' }), 3, 'choices.0.delta', {
      refusal: 'do that.',
    }),
  ),
  'comments between all frames': toSse(plain).replaceAll('\n\n', '\n\n: keepalive\n\n'),
  'a chunk without choices before everything': toSse([
    { data: { ...envelope, choices: [], usage: null } },
    ...plain,
  ]),
  'a call that the limit cut off': toSse(
    set(drop(single, 4), 4, 'choices.0.finish_reason', 'length'),
  ),
  'an error in the middle': toSse([...full.slice(0, 3), error]),
  'an error instead of an answer': toSse([error]),
}

/** A stream that breaks `rule@frame`. */
const broken = (
  where: `${keyof typeof RULES}@${number}`,
  what: string,
  frames: readonly SseFrame[],
  more: Partial<BrokenStream> = {},
): BrokenStream => ({ ...toPlace(where), what, body: toSse(frames), legal: toSse(full), ...more })

const ofSingle = { legal: toSse(single) }
const ofPlain = { legal: toSse(plain) }
const custom: readonly SseFrame[] = [
  ...single.slice(0, 1), // 1
  choice({
    tool_calls: [
      { index: 0, id: 'call_1', type: 'custom', custom: { name: 'weather', input: '' } },
    ],
  }), // 2
  choice({ tool_calls: [{ index: 0, custom: { input: '"Bern"' } }] }), // 3
  ...single.slice(4), // 4, 5, 6
]

export const brokenStreams: readonly BrokenStream[] = [
  broken('S1@11', 'the last blank line is missing, and [DONE] too', full, {
    body: toSse(drop(full, 12)).slice(0, -1),
    also: ['B13'],
  }),
  broken('S1-done@12', 'there is no blank line behind [DONE]', full, {
    body: toSse(full).slice(0, -1),
  }),
  broken(
    'S2@2',
    'a chunk is cut in the middle of its JSON',
    replace(full, 2, () => ({ data: '{"id":' })),
  ),
  broken('S3@2', 'a frame has empty data', insert(full, 2, { data: '' })),
  broken(
    'S4@2',
    'a line is no field',
    replace(full, 2, (frame) => ({ ...frame, line: 'hello' })),
  ),
  broken(
    'S5@2',
    'a frame has an event line',
    replace(full, 2, (frame) => ({ ...frame, event: 'chunk' })),
  ),
  broken(
    'B1@3',
    'the id changes',
    [3, 4, 5, 6, 7, 8, 9, 10, 11].reduce((frames, n) => set(frames, n, 'id', 'chatcmpl-2'), full),
  ),
  broken(
    'B1@2',
    'the model changes',
    [2, 3, 4, 5].reduce((frames, n) => set(frames, n, 'model', 'other'), plain),
    ofPlain,
  ),
  broken(
    'B2@7',
    'nobody says the role',
    set(single, 1, 'choices.0.delta.role', undefined),
    ofSingle,
  ),
  broken('B2@1', 'the role is another', set(full, 1, 'choices.0.delta.role', 'model')),
  broken('B2-late@1', 'the role comes behind content', move(plain, 1, 2), ofPlain),
  broken('B3@2', 'the role comes again', set(full, 2, 'choices.0.delta.role', 'assistant')),
  broken(
    'B3@3',
    'the head of a call comes again',
    replace(single, 3, () => head(0, 'call_1', 'weather', '{"city":')),
    ofSingle,
  ),
  broken('B4@11', 'there is no finish_reason', drop(full, 10)),
  broken('B4@2', 'there is no choice', [usageChunk, done], ofPlain),
  broken('B4-again@11', 'finish_reason comes twice', insert(full, 10, choice({}, 'tool_calls'))),
  broken('B5@4', 'content comes behind finish_reason', move(plain, 3, 4), ofPlain),
  broken(
    'B6@4',
    'the last arguments come with finish_reason',
    set(drop(single, 5), 4, 'choices.0.finish_reason', 'tool_calls'),
    ofSingle,
  ),
  broken(
    'B7@2',
    'a call has no index',
    set(drop(single, 3, 4), 2, 'choices.0.delta.tool_calls.0', {
      id: 'call_1',
      type: 'function',
      function: { name: 'weather', arguments: '{"city":"Bern"}' },
    }),
    ofSingle,
  ),
  broken(
    'B7@7',
    'the second call has index 2',
    [7, 8, 9].reduce((frames, n) => set(frames, n, 'choices.0.delta.tool_calls.0.index', 2), full),
  ),
  broken('B8@5', 'two calls have one index', insert(single, 5, head(0, 'call_2', 'time')), {
    legal: toSse(insert(single, 5, head(1, 'call_2', 'time', '{}'))),
  }),
  broken(
    'B9@2',
    'a call begins without its type',
    set(single, 2, 'choices.0.delta.tool_calls.0.type', undefined),
    ofSingle,
  ),
  broken(
    'B9@2',
    'a call begins without its function',
    set(single, 2, 'choices.0.delta.tool_calls.0.function', undefined),
    { ...ofSingle, also: ['B9-id'] },
  ),
  broken(
    'B9-id@2',
    'a call begins without its id',
    set(single, 2, 'choices.0.delta.tool_calls.0.id', undefined),
    ofSingle,
  ),
  broken('B10@7', 'a call goes on behind the next', move(full, 6, 7)),
  broken('B11@5', 'a call has no arguments', drop(single, 3, 4), ofSingle),
  broken('B11@6', 'a call is cut, and nothing says why', drop(single, 4), ofSingle),
  broken(
    'B11-json@7',
    'the arguments are no JSON',
    set(single, 4, 'choices.0.delta.tool_calls.0.function.arguments', 'Bern}'),
    ofSingle,
  ),
  broken(
    'B12@6',
    'usage is given and taken back',
    insert(plain, 6, { data: { ...envelope, choices: [], usage: null } }),
    ofPlain,
  ),
  broken(
    'B12-place@4',
    'usage comes with finish_reason',
    set(drop(plain, 5), 4, 'usage', usage),
    ofPlain,
  ),
  broken('B13@11', 'there is no [DONE]', drop(full, 12)),
  broken('B13-late@13', 'a chunk comes behind [DONE]', [...full, usageChunk]),
  broken('B13-late@13', 'rubbish comes behind [DONE]', [...full, { data: 'bye' }]),
  broken('B14@2', 'a chunk has no choices', insert(full, 2, { data: envelope })),
  broken('B15@5', 'there is only a second choice', drop(twoChoices, 1, 3, 5), {
    legal: toSse(twoChoices),
  }),
  broken('B15@2', 'a choice has no index', set(plain, 2, 'choices.0.index', undefined), ofPlain),
  broken(
    'B16@12',
    'there are calls, and the end does not say so',
    set(full, 10, 'choices.0.finish_reason', 'stop'),
  ),
  broken(
    'B16@6',
    'the end says there are calls, and there are none',
    set(plain, 4, 'choices.0.finish_reason', 'tool_calls'),
    ofPlain,
  ),
  broken(
    'B18@5',
    'a chunk comes behind an error',
    [...full.slice(0, 3), error, choice({}, 'stop')],
    { legal: toSse([...full.slice(0, 3), error]) },
  ),
  broken(
    'B21@2',
    'content is a list of parts',
    set(plain, 2, 'choices.0.delta.content', [{ type: 'text', text: 'Hello ' }]),
    ofPlain,
  ),
  broken(
    'B22@5',
    'a message stands beside the delta, without the calls',
    set(single, 5, 'choices.0.message', { role: 'assistant', content: null }),
    ofSingle,
  ),
  broken(
    'B22@6',
    'a message stands beside the delta, with another text',
    set(plain, 4, 'choices.0.message', { role: 'assistant', content: 'Hello' }),
    ofPlain,
  ),
  broken(
    'B23@2',
    'a call is of a type of its own',
    set(single, 2, 'choices.0.delta.tool_calls.0.type', 'tool'),
    ofSingle,
  ),
  broken(
    'B22@5',
    'a message stands beside the delta, with another call',
    set(single, 5, 'choices.0.message', {
      role: 'assistant',
      content: null,
      tool_calls: [
        {
          index: 0,
          id: 'call_1',
          type: 'function',
          function: { name: 'time', arguments: '{"city":"Bern"}' },
        },
      ],
    }),
    ofSingle,
  ),
  broken('B23@2', 'a call is of a custom tool', custom, ofSingle),
]
