import { expect, test } from 'vitest'
import type { BlockView } from '../../src/api/types.ts'
import { isActing, isChanged, toNotable, toRows, type AnyVerdict } from './answer-model.ts'
import { toDeliveredText, toOneLine, toSubject, toTokens, toVerdictWord } from './answer-words.ts'
import { toLanes, toLaneWords, toSpan, toTicks } from './waterfall-scale.ts'

const block = (index: number, more: Partial<BlockView> = {}): BlockView => ({
  type: 'text',
  id: '',
  index,
  content: `block ${index}`,
  isComplete: true,
  startedAt: index * 1000,
  endedAt: index * 1000 + 500,
  ...more,
})

const verdict = (more: Partial<AnyVerdict> = {}): AnyVerdict => ({
  policy: 'p',
  version: undefined,
  type: 'deny',
  reason: 'No',
  tags: [],
  details: {},
  by: undefined,
  block: { type: 'tool-call', id: 'call', index: 1, name: 'Bash' },
  isShadow: false,
  tookMs: 2,
  ...more,
})

const CALL = block(1, { type: 'tool-call', id: 'call', name: 'Bash', content: '{"command":"rm"}' })
const NOTICE = block(1, { content: '[Sluice] No', startedAt: 9000 })

test('tells of a block that was taken out and of what took its place in one row', () => {
  const rows = toRows(
    {
      upstream: [block(0), CALL],
      delivered: [block(0), NOTICE],
      changes: [
        { type: 'same', original: 0, delivered: 0 },
        { type: 'removed', original: 1 },
        { type: 'added', delivered: 1 },
      ],
    },
    [verdict()],
  )
  expect(rows).toHaveLength(2)
  expect(rows[1]).toMatchObject({ change: 'removed', instead: [NOTICE], releasedAt: 9000 })
  expect(rows[1]?.verdicts).toHaveLength(1)
  expect(isChanged(rows)).toBe(true)
})

test('takes what left for what came of a verdict while nobody has compared yet', () => {
  const live = { upstream: [block(0), CALL], delivered: [block(0), NOTICE], changes: undefined }
  expect(toRows(live, [])[1]).toMatchObject({ change: 'same', instead: [] })
  expect(toRows(live, [verdict()])[1]).toMatchObject({ change: 'removed', instead: [NOTICE] })
})

test('finds the block of a verdict by its place where ids differ', () => {
  const sides = { upstream: [block(0), CALL], delivered: [], changes: undefined }
  const other = verdict({ block: { type: 'tool-call', id: 'made up', index: 1, name: 'Bash' } })
  expect(toRows(sides, [other])[1]?.verdicts).toEqual([other])
})

test('names the strictest first and what is in shadow last, without what only passed', () => {
  const verdicts = [
    verdict({ type: 'pass' }),
    verdict({ type: 'deny', isShadow: true }),
    verdict({ type: 'rewrite' }),
    verdict({ type: 'pass', by: 'Ada' }),
    verdict({ type: 'deny' }),
  ]
  expect(toNotable(verdicts).map(({ type, isShadow }) => `${type} ${isShadow}`)).toEqual([
    'deny false',
    'rewrite false',
    'pass false',
    'deny true',
  ])
  expect(isActing(verdict({ type: 'pass' }))).toBe(false)
})

test('says what a call does in one line, and shows what is hidden in it', () => {
  expect(toOneLine('{"description":"x","command":"ls -l\\nrm"}')).toBe('ls -l')
  expect(toOneLine('{"cmd":["bash","-c","ls"]}')).toBe('bash -c ls')
  expect(toOneLine('{"command":"\u202Egpj.exe"}')).toBe('⟨U+202E⟩gpj.exe')
  expect(toOneLine('{"a":1}')).toBe('{"a":1}')
  expect(toOneLine('{"a":')).toBe('{"a":')
})

test('says verdicts in words', () => {
  expect(toVerdictWord(verdict())).toBe('Denied')
  expect(toVerdictWord(verdict({ isShadow: true }))).toBe('Would have denied')
  expect(toSubject(verdict({ block: undefined }))).toBe('the exchange')
  const blocks = JSON.stringify([
    { type: 'text', text: 'Hi' },
    { type: 'tool-call', name: 'ls', args: {} },
  ])
  expect(toDeliveredText(verdict({ type: 'replace', delivered: blocks }))).toBe('Hi\nls {}')
  expect(toDeliveredText(verdict({ type: 'replace', delivered: 'no JSON' }))).toBe('no JSON')
  expect(toTokens({ inputTokens: 5, cacheReadTokens: 12_400, outputTokens: 7 })).toBe(
    '5 in · 12.4k cached · 7 out',
  )
})

test('puts blocks on an axis with gaps and holds, and says them', () => {
  const rows = toRows(
    { upstream: [block(0), CALL], delivered: [block(0), NOTICE], changes: undefined },
    [verdict()],
  )
  const [text, call] = toLanes(rows)
  expect(text).toMatchObject({ from: 0, to: 500, isHeld: false, heldTo: 500 })
  expect(call).toMatchObject({ from: 1000, to: 1500, gap: 500, heldTo: 9000, isHeld: true })
  expect(call === undefined ? '' : toLaneWords(call)).toBe(
    'Bash: from 1.0 ms to 1.5 ms, 500 µs long, judged in 2.0 ms, held for 8.0 ms, left at 9.0 ms',
  )
})

test('lets a block that waits grow with the clock', () => {
  const rows = toRows({ upstream: [CALL], delivered: [], changes: undefined }, [])
  const [call] = toLanes(rows, 50_000, () => true)
  expect(call).toMatchObject({ heldTo: 50_000, isHeld: true })
})

test('has round ticks, and nothing outside of the axis', () => {
  expect(toTicks(895_000)).toEqual([0, 200_000, 400_000, 600_000, 800_000])
  expect(toTicks(0)).toEqual([0])
  expect(toSpan(50, 200, 100)).toEqual({ left: '50%', width: '50%' })
  expect(toSpan(0, 0, 0)).toEqual({ left: '0%', width: '0%' })
})
