/**
 * Words of the gateway stand apart from those of the model, whoever answers and whoever listens.
 */
import { describe, expect, test } from 'vitest'
import { assemble, encodeAll, stateOf } from '../support/streams.ts'
import { lint, readEvents } from '../support/pipeline.ts'
import { textBlock } from '../../src/event/make.ts'
import type { StreamState } from '../../src/block/state.ts'
import type { StreamEvent } from '../../src/event/event.ts'
import { noticeBlock } from '../../src/policy/notice.ts'
import { WIRE_NAMES, WIRES } from '../../src/wire/wires.ts'

const wordsOf = (state: StreamState): string =>
  state.blocks.map((block) => (block.type === 'text' ? block.text : block.type)).join('\n\n')

/** Two notices behind the text that was read, and further text behind them. */
const withNotice = (events: readonly StreamEvent[]): StreamEvent[] =>
  events.flatMap((event) =>
    event.type === 'block-stop'
      ? [
          event,
          ...noticeBlock('[Sluice] No.', undefined),
          ...noticeBlock('[Sluice] Nor this.', undefined),
          ...textBlock('Then not.'),
        ]
      : [event],
  )

const WORDS = 'I clean up.\n\n[Sluice] No.\n\n[Sluice] Nor this.\n\nThen not.'

const PAIRS = WIRE_NAMES.flatMap((from) => WIRE_NAMES.map((to) => [from, to] as const))

describe.each(PAIRS)('an answer of %s for a client of %s', (from, to) => {
  const source = encodeAll(from, [
    { type: 'message-start', id: 'a', model: 'm' },
    ...textBlock('I clean up.'),
    { type: 'finish', reason: 'stop' },
    { type: 'message-stop' },
  ])
  const events = withNotice(readEvents(from, [source]))

  test('has a notice in a paragraph of its own, in a stream', () => {
    const bytes = encodeAll(to, events)
    expect(lint(to, bytes)).toEqual([])
    expect(wordsOf(stateOf(to, bytes))).toBe(WORDS)
  })

  test('and in one body', () => {
    const { body } = WIRES[to].writeAnswer(assemble(events))
    const read = assemble([...WIRES[to].readAnswer(body)])
    expect(wordsOf(read)).toBe(WORDS)
  })
})
