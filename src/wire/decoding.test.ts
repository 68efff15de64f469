import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { BlockInfo } from '../event/block.ts'
import type { StreamEvent } from '../event/event.ts'
import { createDecoding, type Decoding, type OpenStep } from './decoding.ts'

const block = (index: number, choice?: number): BlockInfo => ({
  type: 'text',
  id: `block_${index}`,
  index,
  ...(choice === undefined ? {} : { choice }),
})
const of = ({ choice }: BlockInfo): { choice?: number } => (choice === undefined ? {} : { choice })

const start = (info: BlockInfo, step: OpenStep): StreamEvent & { step: OpenStep } => ({
  type: 'block-start',
  block: info,
  ...of(info),
  step,
})
const stop = (info: BlockInfo, step: OpenStep): StreamEvent & { step: OpenStep } => ({
  type: 'block-stop',
  block: info,
  ...of(info),
  step,
})
const grow = (info: BlockInfo, text: string, step: OpenStep): StreamEvent & { step: OpenStep } => ({
  type: 'block-delta',
  block: info,
  delta: { type: 'text', text },
  ...of(info),
  step,
})

const words = (events: readonly StreamEvent[]): string[] =>
  events.map((event) =>
    'block' in event ? `${event.type.replace('block-', '')} ${event.block?.index}` : event.type,
  )

/** Says one event in a step of its own. */
const say = (
  decoding: Decoding,
  make: (step: OpenStep) => StreamEvent & { step: OpenStep },
): void => decoding.emit(make(decoding.begin()))

describe('events come in the order of blocks', () => {
  test('as they are said while one block is open at a time', () => {
    const decoding = createDecoding('openai-chat')
    const step = decoding.begin()
    for (const info of [block(0), block(1)])
      for (const event of [start(info, step), grow(info, 'a', step), stop(info, step)])
        decoding.emit(event)
    expect(words(decoding.take())).toEqual([
      'start 0',
      'delta 0',
      'stop 0',
      'start 1',
      'delta 1',
      'stop 1',
    ])
    expect(decoding.take()).toEqual([])
  })

  test('with the events of a block that began too early behind the end of the one before', () => {
    const decoding = createDecoding('openai-chat')
    const [first, second, third] = [block(0), block(1), block(2)]
    for (const info of [first, second, third]) say(decoding, (step) => start(info, step))
    say(decoding, (step) => grow(third, 'c', step))
    say(decoding, (step) => grow(first, 'a', step))
    say(decoding, (step) => stop(second, step))
    expect(words(decoding.take())).toEqual(['start 0', 'delta 0'])
    say(decoding, (step) => stop(first, step))
    expect(words(decoding.take())).toEqual(['stop 0', 'start 1', 'stop 1', 'start 2', 'delta 2'])
    say(decoding, (step) => stop(third, step))
    expect(words(decoding.take())).toEqual(['stop 2'])
  })

  test('with what belongs to no block at once', () => {
    const decoding = createDecoding('openai-chat')
    say(decoding, (step) => start(block(0), step))
    say(decoding, (step) => start(block(1), step))
    say(decoding, (step) => ({ type: 'ping', step }))
    expect(words(decoding.take())).toEqual(['start 0', 'ping'])
  })

  test('in each choice by itself', () => {
    const decoding = createDecoding('openai-chat')
    for (const info of [block(0), block(0, 1), block(1), block(1, 1)])
      say(decoding, (step) => start(info, step))
    expect(decoding.take().map((event) => event.choice ?? 0)).toEqual([0, 1])
  })

  test('whatever overlaps: no block begins before the last one is over, and nothing is lost', () => {
    const script = fc.array(fc.tuple(fc.nat(4), fc.constantFrom('grow', 'stop')), { maxLength: 40 })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), script, (count, moves) => {
        const decoding = createDecoding('openai-chat')
        const infos = Array.from({ length: count }, (_, i) => block(i))
        const open = new Set(infos)
        let said = infos.length
        for (const info of infos) say(decoding, (step) => start(info, step))
        for (const [which, move] of [...moves, ...infos.map((_, i) => [i, 'stop'] as const)]) {
          const info = infos[which % count]
          if (info === undefined || !open.has(info)) continue
          if (move === 'stop') open.delete(info)
          said += 1
          say(decoding, (step) => (move === 'stop' ? stop(info, step) : grow(info, 'a', step)))
        }
        const events = decoding.take()
        expect(events).toHaveLength(said)
        expect(events.map((event) => ('block' in event ? event.block?.index : -1))).toEqual(
          events
            .map((event) => ('block' in event ? (event.block?.index ?? -1) : -1))
            .sort((a, b) => a - b),
        )
      }),
    )
  })
})

describe('steps', () => {
  test('are numbered in the order of the frames and hold their events', () => {
    const decoding = createDecoding('openai-responses')
    const steps = [decoding.begin(), decoding.begin()]
    expect(steps.map(({ wire, number }) => ({ wire, number }))).toEqual([
      { wire: 'openai-responses', number: 0 },
      { wire: 'openai-responses', number: 1 },
    ])
    const event = { type: 'ping', step: steps[1] as OpenStep } as const
    decoding.emit(event)
    expect(steps[1]?.events).toEqual([event])
    expect(steps[0]?.frame.isEmpty).toBe(true)
  })

  test('name the steps before them whose events are still to come', () => {
    const decoding = createDecoding('openai-chat')
    const [first, second] = [block(0), block(1)]
    say(decoding, (step) => start(first, step))
    const late = decoding.begin()
    decoding.emit(start(second, late))
    expect(decoding.begin().late).toEqual(new Set([late.number]))
  })

  test('that are held have their turn when their block can be named', () => {
    const decoding = createDecoding('openai-chat')
    const held = decoding.begin()
    decoding.hold(held)
    const next = decoding.begin()
    expect(next.late).toEqual(new Set([held.number]))
    const info = block(0)
    decoding.emit(start(info, next))
    decoding.emit({ type: 'other', block: info, step: held })
    expect(words(decoding.take())).toEqual(['start 0', 'other 0'])
  })
})
