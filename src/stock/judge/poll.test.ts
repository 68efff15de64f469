import { describe, expect, test } from 'vitest'
import type { Vote } from './ask.ts'
import { count } from './poll.ts'

const LETTERS: Readonly<Record<string, Vote>> = {
  p: { type: 'answer', answer: { probability: 0.1, reason: 'fine' } },
  a: { type: 'answer', answer: { probability: 0.4, reason: 'doubt' } },
  d: { type: 'answer', answer: { probability: 0.8, reason: 'harm' } },
  n: { type: 'nonsense' },
  f: { type: 'failed', error: new Error('down') },
}
const cast = (letters: string): readonly Vote[] =>
  [...letters].flatMap((letter) => LETTERS[letter] ?? [])
const ruling = (letters: string, votes: number): string =>
  count(cast(letters), { votes, denyAt: 0.5, askAt: 0.3 })?.type ?? 'open'

describe('one vote', () => {
  test.each([
    ['', 'open'],
    ['p', 'pass'],
    ['a', 'ask'],
    ['d', 'deny'],
    ['n', 'nonsense'],
    ['f', 'failed'],
  ])('"%s" is %s', (letters, expected) => expect(ruling(letters, 1)).toBe(expected))
})

describe('of three votes', () => {
  test.each([
    ['p', 'open'],
    ['pd', 'open'],
    ['pp', 'pass'],
    ['dd', 'deny'],
    ['dn', 'deny'],
    ['nn', 'nonsense'],
    ['ppf', 'pass'],
    ['pdd', 'deny'],
    ['pda', 'ask'],
    ['paa', 'ask'],
    ['aad', 'ask'],
    ['add', 'deny'],
    ['pdf', 'failed'],
    ['pnf', 'failed'],
    ['pff', 'failed'],
    ['fff', 'failed'],
    ['ann', 'nonsense'],
  ])('"%s" are %s', (letters, expected) => expect(ruling(letters, 3)).toBe(expected))
})

test('half is no majority', () => {
  expect(ruling('pd', 2)).toBe('deny')
  expect(ruling('pn', 2)).toBe('nonsense')
  expect(ruling('ppdd', 4)).toBe('deny')
})

test('nothing passes but by more than half of all votes, whoever failed', () => {
  const all = ['p', 'a', 'd', 'n', 'f']
  for (const one of all)
    for (const two of all)
      for (const three of all) {
        const letters = one + two + three
        const passes = [...letters].filter((letter) => letter === 'p').length
        expect([letters, ruling(letters, 3) === 'pass']).toEqual([letters, passes >= 2])
      }
})

test('the reason is that of the one who is surest among those who carried it', () => {
  const answer = (probability: number): Vote => ({
    type: 'answer',
    answer: { probability, reason: `${probability}` },
  })
  const votes = [answer(0.6), answer(0.9), answer(0.1)]
  expect(count(votes, { votes: 3, denyAt: 0.5, askAt: 1 })).toEqual({
    type: 'deny',
    probability: 0.9,
    reason: '0.9',
  })
})
