import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { BlockInfo } from '../event/block.ts'
import type { StreamEvent } from '../event/event.ts'
import { createStopSequences } from './stop-sequences.ts'

const block: BlockInfo = { type: 'text', id: 't', index: 0 }
const start: StreamEvent = { type: 'block-start', block }
const stop: StreamEvent = { type: 'block-stop', block }
const say = (text: string, of = block): StreamEvent => ({
  type: 'block-delta',
  block: of,
  delta: { type: 'text', text },
})
const finish: StreamEvent = { type: 'finish', reason: 'stop' }
const end: StreamEvent = { type: 'message-stop' }
const ending = (stopSequence: string): StreamEvent[] => [
  { type: 'finish', reason: 'stop-sequence', stopSequence },
  { type: 'usage', usage: { outputTokens: expect.any(Number) as number } },
  end,
]

function run(sequences: readonly string[], events: readonly StreamEvent[]) {
  const stage = createStopSequences(sequences)
  const out = [...events.flatMap((event) => stage.push(event)), ...stage.end()]
  return { out, hasStopped: stage.hasStopped }
}

test('the text ends before a sequence that came in pieces, and what follows is swallowed', () => {
  const { out, hasStopped } = run(
    ['STOP', 'HALT'],
    [start, say('go on S'), say('TO'), say('P and more'), say('x'), stop, finish, end],
  )
  expect(out).toEqual([start, say('go on '), stop, ...ending('STOP')])
  expect(hasStopped).toBe(true)
})

test('an answer without one passes as the same events', () => {
  const thinking: BlockInfo = { type: 'thinking', id: 'h', index: 1, redacted: false }
  const events: StreamEvent[] = [
    { type: 'message-start', id: 'm', model: 'x' },
    start,
    say('hello'),
    { type: 'ping' },
    say('world'),
    stop,
    { type: 'block-start', block: thinking },
    { type: 'block-delta', block: thinking, delta: { type: 'thinking', text: 'STOP' } },
    { type: 'block-stop', block: thinking },
    finish,
    end,
  ]
  const { out, hasStopped } = run(['STOP'], events)
  expect(out).toHaveLength(events.length)
  for (const [at, event] of out.entries()) expect(event).toBe(events[at])
  expect(hasStopped).toBe(false)
})

describe('what was held and is no sequence', () => {
  test('comes with the next text', () => {
    expect(run(['STOP'], [start, say('ST'), say('AY'), stop, finish]).out).toEqual([
      start,
      say('STAY'),
      stop,
      finish,
    ])
  })

  test.each<[string, StreamEvent[]]>([
    ['the end of its block', [stop, finish]],
    ['an error', [{ type: 'error', error: { kind: 'cut', message: 'gone' } }]],
    ['the end of the input', []],
  ])('comes before %s', (_, rest) => {
    expect(run(['STOP'], [start, say('x'), say('STO'), ...rest]).out).toEqual([
      start,
      say('x'),
      say('STO'),
      ...rest,
    ])
  })
})

test('pain 25: a block that would be empty is not opened', () => {
  expect(run(['\n'], [start, say('\nx'), stop]).out).toEqual(ending('\n'))
})

test('what belongs to a block comes behind its start', () => {
  const citation: StreamEvent = {
    type: 'block-delta',
    block,
    delta: { type: 'citation', citation: {} },
  }
  for (const event of [citation, { type: 'other', block } as const])
    expect(run(['x'], [start, event, say('a'), stop]).out).toEqual([start, event, say('a'), stop])
})

test('a block that was empty stays as it was', () => {
  expect(run(['x'], [start, stop]).out).toEqual([start, stop])
})

test('the sequence that is complete first ends the text; of two at once, the longer', () => {
  expect(run(['abcd', 'b'], [start, say('xabcd')]).out).toEqual([
    start,
    say('xa'),
    stop,
    ...ending('b'),
  ])
  expect(run(['b', 'ab'], [start, say('xab')]).out).toEqual([
    start,
    say('x'),
    stop,
    ...ending('ab'),
  ])
})

test('the usage that is known is said', () => {
  const { out } = run(
    ['.'],
    [
      { type: 'message-start', id: 'm', model: 'x', usage: { inputTokens: 7 } },
      { type: 'usage', usage: { outputTokens: 3 } },
      start,
      say('a.'),
    ],
  )
  expect(out.slice(-2)).toEqual([
    { type: 'usage', usage: { inputTokens: 7, outputTokens: 3 } },
    end,
  ])
})

test('what a whole answer cost is heard behind the sequence, and said once', () => {
  const usage = { inputTokens: 7, outputTokens: 30 }
  const behind: StreamEvent[] = [stop, finish, { type: 'usage', usage }, end]
  const { out } = run(['.'], [start, say('a.b'), ...behind])
  expect(out.slice(2)).toEqual([
    stop,
    { type: 'finish', reason: 'stop-sequence', stopSequence: '.' },
    { type: 'usage', usage },
    end,
  ])
})

test('the output of an answer that is not read to its end is counted by what was said', () => {
  const stage = createStopSequences(['.'])
  const begin: StreamEvent = {
    type: 'message-start',
    id: 'm',
    model: 'x',
    usage: { inputTokens: 7, outputTokens: 1 },
  }
  const said = [begin, start, say('x'.repeat(400)), say('.')].flatMap((event) => stage.push(event))
  expect(said.at(-1)?.type).toBe('finish')
  const usage = { inputTokens: 7, outputTokens: 101 }
  expect(stage.end()).toEqual([{ type: 'usage', usage }, end])
  expect(stage.end()).toEqual([])
})

test('a sequence does not reach over blocks, and an empty one is none', () => {
  const other: BlockInfo = { type: 'text', id: 'u', index: 1 }
  const events = [
    start,
    say('ST'),
    stop,
    { type: 'block-start', block: other } as const,
    say('OP', other),
    { type: 'block-stop', block: other } as const,
  ]
  expect(run(['STOP', ''], events)).toEqual({ out: events, hasStopped: false })
})

const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c') })

test('wherever the text was cut, it ends at the same place', () => {
  fc.assert(
    fc.property(
      fc.array(letters, { maxLength: 10 }),
      fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 4 }), {
        maxLength: 3,
      }),
      (pieces, sequences) => {
        const text = pieces.join('')
        const expected = cutAt(text, sequences)
        const { out, hasStopped } = run(sequences, [
          start,
          ...pieces.filter((piece) => piece !== '').map((piece) => say(piece)),
          stop,
          finish,
          end,
        ])
        expect(textOf(out)).toBe(expected.text)
        expect(hasStopped).toBe(expected.sequence !== undefined)
        expect(out.find(({ type }) => type === 'finish')).toMatchObject(
          expected.sequence === undefined
            ? { reason: 'stop' }
            : { reason: 'stop-sequence', stopSequence: expected.sequence },
        )
        for (const event of out)
          if (event.type === 'block-delta') expect(event.delta).not.toMatchObject({ text: '' })
      },
    ),
    { numRuns: 500 },
  )
})

/** The same in one look at the whole text. */
function cutAt(text: string, sequences: readonly string[]): { text: string; sequence?: string } {
  for (let length = 1; length <= text.length; length++) {
    const ends = sequences.filter((sequence) => text.slice(0, length).endsWith(sequence))
    const [longest] = ends.sort((a, b) => b.length - a.length)
    if (longest !== undefined)
      return { text: text.slice(0, length - longest.length), sequence: longest }
  }
  return { text }
}

const textOf = (events: readonly StreamEvent[]): string =>
  events
    .map((event) =>
      event.type === 'block-delta' && event.delta.type === 'text' ? event.delta.text : '',
    )
    .join('')

test('a sequence as long as its client likes costs no more', () => {
  const stage = createStopSequences(['a'.repeat(100_000)])
  stage.push(start)
  const started = performance.now()
  for (let at = 0; at < 100; at++) stage.push(say(`${'a'.repeat(500)}b`))
  expect(performance.now() - started).toBeLessThan(1000)
})
