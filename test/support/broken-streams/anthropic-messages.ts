/**
 * Broken streams of Anthropic Messages. Neighbours: `../broken-streams.ts` has the changes.
 */
import type { RULES } from '../../../src/wire/anthropic-messages/rules.ts'
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
const start = (index: number, content_block: Data): SseFrame =>
  event('content_block_start', { index, content_block })
const delta = (index: number, one: Data): SseFrame =>
  event('content_block_delta', { index, delta: one })
const text = (index: number, piece: string): SseFrame =>
  delta(index, { type: 'text_delta', text: piece })
const json = (index: number, partial_json: string): SseFrame =>
  delta(index, { type: 'input_json_delta', partial_json })
const stop = (index: number): SseFrame => event('content_block_stop', { index })

const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude',
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage: { input_tokens: 10, output_tokens: 1 },
}
const messageStart = event('message_start', { message })
const end = (stop_reason: string | null): SseFrame =>
  event('message_delta', {
    delta: { stop_reason, stop_sequence: null },
    usage: { output_tokens: 20 },
  })
const messageStop = event('message_stop')
const error = event('error', { error: { type: 'overloaded_error', message: 'Overloaded' } })

/** Thinking, text and a tool call: everything that rules speak of. */
const full: readonly SseFrame[] = [
  messageStart, // 1
  start(0, { type: 'thinking', thinking: '', signature: '' }), // 2
  delta(0, { type: 'thinking_delta', thinking: 'The user wants ' }), // 3
  delta(0, { type: 'thinking_delta', thinking: 'the weather.' }), // 4
  delta(0, { type: 'signature_delta', signature: 'c2lnbmVk' }), // 5
  stop(0), // 6
  event('ping'), // 7
  start(1, { type: 'text', text: '' }), // 8
  text(1, 'Let me '), // 9
  text(1, 'look.'), // 10
  stop(1), // 11
  start(2, { type: 'tool_use', id: 'toolu_1', name: 'weather', input: {} }), // 12
  json(2, '{"city":'), // 13
  json(2, '"Bern"}'), // 14
  stop(2), // 15
  end('tool_use'), // 16
  messageStop, // 17
]

/** Text alone. */
const plain: readonly SseFrame[] = [
  messageStart, // 1
  start(0, { type: 'text', text: '' }), // 2
  text(0, 'Hello '), // 3
  text(0, 'there.'), // 4
  stop(0), // 5
  end('end_turn'), // 6
  messageStop, // 7
]

const twoTexts: readonly SseFrame[] = [
  messageStart, // 1
  start(0, { type: 'text', text: '' }), // 2
  text(0, 'One. '), // 3
  stop(0), // 4
  start(1, { type: 'text', text: '' }), // 5
  text(1, 'Two.'), // 6
  stop(1), // 7
  end('end_turn'), // 8
  messageStop, // 9
]

/** The first block calls itself 1 and the second 0; both are open before either grows. */
const crossed: readonly SseFrame[] = [
  messageStart, // 1
  start(1, { type: 'text', text: '' }), // 2
  start(0, { type: 'text', text: '' }), // 3
  text(1, 'One. '), // 4
  stop(1), // 5
  text(0, 'Two.'), // 6
  stop(0), // 7
  ...twoTexts.slice(7), // 8, 9
]

export const legal: Readonly<Record<string, string>> = {
  'thinking, text and a call': toSse(full),
  'text alone': toSse(plain),
  'pings before, between and behind everything': toSse([
    event('ping'),
    ...full.flatMap((frame) => [frame, event('ping')]).slice(0, -1),
  ]),
  'an answer that is refused before it begins': toSse([messageStart, end('refusal'), messageStop]),
  'a call that the limit cut off': toSse(
    set(drop(full, 14), 15, 'delta.stop_reason', 'max_tokens'),
  ),
  'an error in the middle': toSse([...full.slice(0, 9), error]),
  'an error instead of an answer': toSse([error]),
}

/** A stream that breaks `rule@frame`. */
const broken = (
  where: `${keyof typeof RULES}@${number}`,
  what: string,
  frames: readonly SseFrame[],
  more: Partial<BrokenStream> = {},
): BrokenStream => ({ ...toPlace(where), what, body: toSse(frames), legal: toSse(full), ...more })

const withCall = (id: string): SseFrame[] =>
  insert(
    full,
    16,
    start(3, { type: 'tool_use', id, name: 'time', input: {} }),
    json(3, '{}'),
    stop(3),
  )

const ofPlain = { legal: toSse(plain) }

export const brokenStreams: readonly BrokenStream[] = [
  broken('S1@17', 'the last blank line is missing', full, { body: toSse(full).slice(0, -1) }),
  broken(
    'S2@9',
    'a delta is cut in the middle of its JSON',
    replace(full, 9, (frame) => ({ ...frame, data: '{"type":' })),
  ),
  broken('S2@18', '[DONE] comes under an event line', [...full, { event: 'data', data: '[DONE]' }]),
  broken('S3@9', 'an event has no data', insert(full, 9, { event: 'content_block_delta' })),
  broken(
    'S3-other@9',
    'an event that no client reads has no data',
    insert(full, 9, { event: 'note' }),
  ),
  broken(
    'S4@9',
    'a line is no field',
    replace(full, 9, (frame) => ({ ...frame, line: 'hello' })),
  ),
  broken('A1@1', 'the message starts behind its first block', move(plain, 1, 5), ofPlain),
  broken('A1@1', 'there is nothing but a ping', [event('ping')], { ...ofPlain, also: ['A16'] }),
  broken('A2@8', 'the message starts again', insert(full, 8, messageStart)),
  broken('A3@1', 'the message starts without usage', set(full, 1, 'message.usage', undefined)),
  broken(
    'A3@1',
    'the message starts without a content list',
    set(full, 1, 'message.content', undefined),
  ),
  broken(
    'A3-filled@1',
    'the message starts with its content',
    set(drop(plain, 2, 3, 4, 5), 1, 'message.content', [{ type: 'text', text: 'Hello there.' }]),
    ofPlain,
  ),
  broken('A4@8', 'a block starts under the index of another', set(full, 8, 'index', 0)),
  broken('A4@2', 'two blocks have each other’s index', crossed, {
    also: ['A5'],
    legal: toSse(twoTexts),
  }),
  broken('A5@7', 'a block starts before the stop of another', move(full, 6, 10)),
  broken('A6@15', 'a block never stops', drop(full, 15)),
  broken('A6@7', 'a block stops twice', insert(full, 7, stop(0))),
  broken('A7@2', 'a block has deltas and no start', drop(plain, 2, 5), ofPlain),
  broken('A7-late@11', 'a delta comes behind the stop', move(full, 10, 11)),
  broken(
    'A8@4',
    'a text delta in a thinking block',
    set(full, 4, 'delta', { type: 'text_delta', text: 'the weather.' }),
  ),
  broken('A8-text@9', 'a delta has no text', set(full, 9, 'delta.text', undefined)),
  broken('A8-text@9', 'a delta holds nothing', set(full, 9, 'delta', undefined)),
  broken(
    'A9@2',
    'thinking starts without its text',
    set(full, 2, 'content_block.thinking', undefined),
  ),
  broken(
    'A10@6',
    'a signature comes in two pieces',
    insert(
      set(full, 5, 'delta.signature', 'c2ln'),
      6,
      delta(0, { type: 'signature_delta', signature: 'bmVk' }),
    ),
  ),
  broken('A11@15', 'the arguments are no JSON', set(full, 14, 'delta.partial_json', '"Bern"}}')),
  broken(
    'A11@15',
    'the arguments are a list',
    set(set(full, 13, 'delta.partial_json', '["Bern"'), 14, 'delta.partial_json', ']'),
  ),
  broken('A11-cut@15', 'the arguments are cut, and nothing says why', drop(full, 14)),
  broken(
    'A12@13',
    'the call has its input, and a delta too',
    set(
      set(drop(full, 14), 12, 'content_block.input', { city: 'Bern' }),
      13,
      'delta.partial_json',
      '{}',
    ),
  ),
  broken('A13@16', 'the end has no usage', set(full, 16, 'usage', undefined)),
  broken('A13-tokens@16', 'the end has an empty usage', set(full, 16, 'usage', {})),
  broken(
    'A13-tokens@1',
    'the start has no output_tokens',
    set(full, 1, 'message.usage', { input_tokens: 10 }),
  ),
  broken('A14@17', 'the end has no stop_reason', set(full, 16, 'delta.stop_reason', null)),
  broken('A14@16', 'there is no end', drop(full, 16)),
  broken('A16@16', 'the message never stops', drop(full, 17)),
  broken('A16-late@18', 'something comes behind the message', [...full, event('ping')]),
  broken('A16-late@18', '[DONE] comes behind the message', [...full, { data: '[DONE]' }]),
  broken(
    'A17@9',
    'a frame has no event line',
    replace(full, 9, ({ data }) => ({ data })),
  ),
  broken('A17@9', 'rubbish has no event line', insert(full, 9, { data: '{"type":' })),
  broken(
    'A17-name@9',
    'an event line says a name that nobody knows',
    replace(full, 9, (frame) => ({ ...frame, event: 'delta' })),
  ),
  broken(
    'A17-other@9',
    'an event line says another type',
    replace(full, 9, (frame) => ({ ...frame, event: 'content_block_start' })),
  ),
  broken('A17-type@9', 'the type stands only in the event line', set(full, 9, 'type', undefined)),
  broken('A18@11', 'something comes behind an error', [...full.slice(0, 9), error, messageStop], {
    legal: toSse([...full.slice(0, 9), error]),
  }),
  broken(
    'A19@16',
    'there is a call, and the end does not say so',
    set(full, 16, 'delta.stop_reason', 'end_turn'),
  ),
  broken(
    'A19@6',
    'the end says there is a call, and there is none',
    set(plain, 6, 'delta.stop_reason', 'tool_use'),
    ofPlain,
  ),
  broken('A20@16', 'two calls have one id', withCall('toolu_1'), {
    legal: toSse(withCall('toolu_2')),
  }),
  broken('A20@12', 'an id has a dot', set(full, 12, 'content_block.id', 'weather.1')),
  broken('A21@3', 'a text block is empty', drop(plain, 3, 4), {
    legal: toSse(drop(plain, 2, 3, 4, 5)),
  }),
]
