import '../../test/support/seed.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { textBlock } from '../event/make.ts'
import type { StreamEvent } from '../event/event.ts'
import { assemble, encode, lint, readEvents } from '../../test/support/pipeline.ts'
import { callBlock, filterEvents, judge } from '../../test/support/stock-policy.ts'
import { replaceText } from './replace-text.ts'

const policy = replaceText({
  replace: [
    { words: ['Acme', 'Acme Corp'], with: 'the company' },
    { patterns: ['[0-9]{3}-[0-9]{4}'], with: '<number>' },
    { words: ['darn'], with: '', ignoreCase: true },
  ],
})

/** A text block whose text comes in these pieces. */
function inPieces(pieces: readonly string[]): readonly StreamEvent[] {
  const [start, , stop] = textBlock('')
  if (start?.type !== 'block-start' || stop === undefined) throw new Error('No block')
  const { block } = start
  return [
    start,
    ...pieces.map((text): StreamEvent => ({
      type: 'block-delta',
      block,
      delta: { type: 'text', text },
    })),
    stop,
  ]
}

const textOf = (events: Iterable<StreamEvent>): string =>
  assemble(events)
    .blocks.map((block) => (block.type === 'text' ? block.text : ''))
    .join('')

test('puts other words in the place of words, the longest of those that begin alike', async () => {
  const events = inPieces(['Call Acm', 'e Co', 'rp at 555-', '1234, not Acmes. Da', 'rn!'])
  expect(textOf(await filterEvents(policy, events))).toBe(
    'Call the company at <number>, not Acmes. !',
  )
})

test('gives the same text wherever it was cut, and lets out no part of a match', async () => {
  const piece = fc.constantFrom(
    'Acme',
    ' Corp',
    ' ',
    '555',
    '-',
    '1234',
    'darn',
    'A',
    'x',
    '5',
    'c',
  )
  await fc.assert(
    fc.asyncProperty(
      fc.array(piece, { maxLength: 20 }),
      fc.infiniteStream(fc.integer({ min: 1, max: 4 })),
      async (words, sizes) => {
        const whole = words.join('')
        const pieces: string[] = []
        for (let at = 0; at < whole.length;) {
          const { value } = sizes.next()
          pieces.push(whole.slice(at, at + value))
          at += value
        }
        const once = textOf(await filterEvents(policy, inPieces([whole])))
        const run = await filterEvents(policy, inPieces(pieces))
        expect(textOf(run)).toBe(once)
        // At every moment, what has left is a beginning of the final text.
        expect(once.startsWith(textOf(run.slice(0, Math.floor(run.length / 2))))).toBe(true)
      },
    ),
    { numRuns: 500 },
  )
})

test('events without a match leave as the same objects, also those that had to wait', async () => {
  const events = inPieces(['Ac', 'm', 'ea and 555-12', '3x'])
  expect(await filterEvents(policy, events)).toEqual(events)
  const sent = await filterEvents(policy, events)
  for (const [i, event] of sent.entries()) expect(event).toBe(events[i])
})

test('holds back only while a match may still come', async () => {
  const [start, first, second] = inPieces(['hello Ac', 'tually'])
  if (start === undefined || first === undefined || second === undefined) throw new Error()
  expect(await filterEvents(policy, [start, first])).toEqual([])
  expect(await filterEvents(policy, [start, first, second])).toEqual([start, first, second])
})

test('a text of which nothing is left is no block', async () => {
  expect(await filterEvents(policy, inPieces(['dar', 'n']))).toEqual([])
})

test('an empty text that came so stays', async () => {
  expect(await filterEvents(policy, inPieces([]))).toHaveLength(2)
})

test('an answer that breaks off gets what was held', async () => {
  const [start, delta] = inPieces(['hello Ac'])
  if (start === undefined || delta === undefined) throw new Error()
  const error: StreamEvent = { type: 'error', error: { kind: 'cut', message: 'cut' } }
  expect(await filterEvents(policy, [start, delta, error])).toEqual([start, delta, error])
})

test('texts in arguments are replaced where that is asked for, names of fields never', async () => {
  const both = replaceText({
    replace: [{ words: ['Acme'], with: 'us' }],
    in: ['text', 'arguments'],
  })
  const args = { Acme: 1, to: ['Acme', { deep: 'by Acme' }] }
  expect(await judge(both, callBlock('mail', args))).toMatchObject({
    type: 'rewrite',
    args: { Acme: 1, to: ['us', { deep: 'by us' }] },
    details: { replaced: 2 },
  })
  expect(await judge(both, callBlock('mail', { to: 'me' }))).toEqual({ type: 'pass' })
  expect(policy.judge).toBeUndefined()
})

test('a pattern that cannot be taken is refused when the policy is made', () => {
  expect(() => replaceText({ replace: [{ patterns: ['(?=a)'], with: '' }] })).toThrow(
    /no RE2 pattern/,
  )
  expect(() => replaceText({ replace: [{ patterns: ['a*'], with: '' }] })).toThrow(/empty text/)
})

const STREAMS = ['anthropic-messages', 'openai-chat', 'openai-responses'] as const

test.each(STREAMS)(
  'on %s nothing of a replaced word leaves, also not where the wire repeats it',
  async (wire) => {
    const bytes = encode(wire, [
      { type: 'message-start', id: 'm', model: 'x' },
      ...inPieces(['Hello ', 'from Ac', 'me to all']),
      { type: 'finish', reason: 'stop' },
      { type: 'message-stop' },
    ]).bytes
    const sent = await filterEvents(policy, readEvents(wire, [bytes]))
    const out = encode(wire, sent)
    expect(out.text).toContain('the company')
    expect(out.text).not.toMatch(/Acme|Ac"/)
    expect(lint(wire, out.bytes)).toEqual([])
    const clean = replaceText({ replace: [{ words: ['zebra', 'tom'], with: '' }] })
    const passed = encode(wire, await filterEvents(clean, readEvents(wire, [bytes])))
    expect(Buffer.from(passed.bytes).equals(Buffer.from(bytes))).toBe(true)
  },
)
