import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { collect } from '../../test/support/heap.ts'
import type { StreamEvent } from '../event/event.ts'
import { createFrame, type Frame } from '../sse/frame.ts'
import { WIRES } from './wires.ts'
import type { Decoder } from './wire.ts'

const frameOf = (json: object): Frame => createFrame(undefined, JSON.stringify(json))

/** What was said, without the frames that said it. */
const bare = (events: readonly StreamEvent[]): readonly unknown[] =>
  events.map(({ step: _step, ...event }) => event)

interface Kind {
  readonly wire: 'anthropic-messages' | 'openai-chat'
  /** What comes before the pieces. */
  readonly before: readonly object[]
  piece(text: string): object
  readonly behind: readonly object[]
}

const start = { type: 'message_start', message: { id: 'msg_1', model: 'm', content: [] } }
const block = (content: object): object => ({
  type: 'content_block_start',
  index: 0,
  content_block: content,
})
const grow = (delta: object): object => ({ type: 'content_block_delta', index: 0, delta })
const ends = [
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
  { type: 'message_stop' },
]
const chunk = (delta: object, finish: string | null = null): object => ({
  id: 'chatcmpl_1',
  model: 'm',
  choices: [{ index: 0, delta, finish_reason: finish }],
})
const call = (index: number, text: string, head: object = {}): object =>
  chunk({ tool_calls: [{ index, ...head, function: { ...head, arguments: text } }] })

const KINDS: Readonly<Record<string, Kind>> = {
  'text of Messages': {
    wire: 'anthropic-messages',
    before: [start, block({ type: 'text', text: '' })],
    piece: (text) => grow({ type: 'text_delta', text }),
    behind: ends,
  },
  'thinking of Messages': {
    wire: 'anthropic-messages',
    before: [start, block({ type: 'thinking', thinking: '' })],
    piece: (thinking) => grow({ type: 'thinking_delta', thinking }),
    behind: [grow({ type: 'signature_delta', signature: 'sealed' }), ...ends],
  },
  'arguments of Messages, where the start has some': {
    wire: 'anthropic-messages',
    before: [start, block({ type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { a: 1 } })],
    piece: (text) => grow({ type: 'input_json_delta', partial_json: text }),
    behind: ends,
  },
  'text of Chat': {
    wire: 'openai-chat',
    before: [chunk({ role: 'assistant', content: 'It' })],
    piece: (content) => chunk({ content }),
    behind: [chunk({}, 'stop')],
  },
  'reasoning of Chat': {
    wire: 'openai-chat',
    before: [chunk({ reasoning_content: 'Well' })],
    piece: (text) => chunk({ reasoning_content: text }),
    behind: [chunk({ content: 'so' }), chunk({}, 'stop')],
  },
  'arguments of Chat': {
    wire: 'openai-chat',
    before: [call(0, '', { id: 'call_1', name: 'Bash' })],
    piece: (text) => call(0, text),
    behind: [call(1, '{}', { id: 'call_2', name: 'Read' }), chunk({}, 'tool_calls')],
  },
  'arguments of Chat that another call waits for': {
    wire: 'openai-chat',
    before: [
      call(0, '{"a":', { id: 'call_1', name: 'Bash' }),
      call(1, '{}', { id: 'call_2', name: 'Read' }),
    ],
    piece: (text) => call(0, text),
    behind: [chunk({}, 'tool_calls')],
  },
}

function read(kind: Kind, tell: (decoder: Decoder) => readonly StreamEvent[]): readonly unknown[] {
  const decoder = WIRES[kind.wire].createDecoder()
  const events = kind.before.flatMap((json) => [...decoder.push(frameOf(json))])
  events.push(...tell(decoder))
  for (const json of kind.behind) events.push(...decoder.push(frameOf(json)))
  events.push(...decoder.end())
  return bare(events)
}

const text = fc.oneof(
  fc.string({ minLength: 1, unit: 'grapheme' }),
  fc.constantFrom('1}', '"x"', ' }', '{"command":"ls"}', 'null'),
)

describe.each(Object.entries(KINDS))('%s', (_name, kind) => {
  test('more of what was said last says what reading it says', () => {
    const property = fc.property(text, text, text, (first, second, third) => {
      const frames = [first, second, third].map((piece) => frameOf(kind.piece(piece)))
      const [one, two, three] = frames as [Frame, Frame, Frame]
      const isRead = read(kind, (decoder) => [
        ...decoder.push(one),
        ...decoder.push(two),
        ...decoder.push(three),
      ])
      const isTold = read(kind, (decoder) => {
        const said = decoder.push(one)
        // Only such a frame begins a run.
        const isPiece = said.length === 1 && said[0]?.type === 'block-delta'
        fc.pre(isPiece)
        return [
          ...said,
          ...(decoder.again?.(second, createFrame(undefined, undefined)) ?? []),
          ...(decoder.again?.(third, createFrame(undefined, undefined)) ?? []),
        ]
      })
      expect(isTold).toEqual(isRead)
      const atOnce = read(kind, (decoder) => [
        ...decoder.push(one),
        ...(decoder.again?.(second + third, createFrame(undefined, undefined)) ?? []),
      ])
      const readAtOnce = read(kind, (decoder) => [
        ...decoder.push(one),
        ...decoder.push(frameOf(kind.piece(second + third))),
      ])
      expect(atOnce).toEqual(readAtOnce)
    })
    fc.assert(property, { numRuns: 300 })
  })
})

/** Places of frames that were read, or told as one piece more, where the collector can be seen. */
function readOnce({ before, piece }: Kind, decoder: Decoder): readonly WeakRef<Frame>[] {
  const frames = [...before, piece('one')].map(frameOf)
  for (const frame of frames) decoder.push(frame)
  const again = frameOf(piece('two'))
  expect(decoder.again?.('two', again)).toHaveLength(1)
  return [...frames, again].map((frame) => new WeakRef(frame))
}

/** Where another call waits, its frames do too. */
const LET_GO = Object.entries(KINDS).filter(([name]) => !name.endsWith('waits for'))

test.each(LET_GO)('%s: what was read is let go of before more comes', async (_, kind) => {
  const decoder = WIRES[kind.wire].createDecoder({ createId: () => 'made' })
  const places = readOnce(kind, decoder)
  // What a WeakRef has shown stays until the next turn of the loop.
  await sleep(0)
  collect()
  expect(places.map((place) => place.deref())).toEqual(places.map(() => undefined))
  expect(decoder.end()).not.toHaveLength(0)
})
