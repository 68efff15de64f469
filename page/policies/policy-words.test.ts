import { expect, test } from 'vitest'
import type { PolicySummaryAnswer } from '../../src/api/types.ts'
import { toFigures, toFigureWords, toVersion } from './policy-words.ts'

const row = (
  type: string,
  count: number,
  isShadow = false,
  block: 'tool-call' | 'request' = 'tool-call',
): PolicySummaryAnswer['policies'][number] => ({
  policy: 'calm',
  version: 'v1',
  isShadow,
  type,
  block,
  tool: undefined,
  count,
  examples: [],
})

const words = (answer: PolicySummaryAnswer): readonly string[] =>
  toFigures(answer, 'calm').map(toFigureWords)

test('figures say of how many, and those in shadow what would have been', () => {
  expect(
    words({
      policies: [row('pass', 7), row('deny', 3), row('ask', 1), row('deny', 2, true)],
      judged: [
        { policy: 'calm', version: 'v1', isShadow: false, block: 'tool-call', count: 11, acted: 4 },
        { policy: 'calm', version: 'v1', isShadow: true, block: 'tool-call', count: 9, acted: 2 },
        { policy: 'other', version: 'v1', isShadow: true, block: 'tool-call', count: 9, acted: 2 },
      ],
    }),
  ).toEqual(['denied 3, asked about 1 of 11 tool calls', 'would have denied 2 of 9 tool calls'])
})

test('of requests nobody knows how many there were, and nothing but passes is said so', () => {
  expect(words({ policies: [row('change', 2, false, 'request')], judged: [] })).toEqual([
    'changed 2 requests',
  ])
  expect(
    words({
      policies: [row('pass', 1, true)],
      judged: [{ policy: 'calm', isShadow: true, block: 'tool-call', count: 1, acted: 0 }],
    }),
  ).toEqual(['would have let all of 1 tool call pass'])
})

test('figures can be those of one version', () => {
  expect(toFigures({ policies: [row('deny', 3)], judged: [] }, 'calm', 'v2')).toEqual([])
})

test('a digest is shortened, and a version that somebody chose is not', () => {
  expect(toVersion('0123456789abcdef')).toBe('01234567')
  expect(toVersion('2026-11-15')).toBe('2026-11-15')
  expect(toVersion('x\u202Ey')).toBe('x⟨U+202E⟩y')
})
