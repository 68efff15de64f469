import { expect, test } from 'vitest'
import { inOrder } from '../../bench/gateway/rounds.ts'
import {
  median,
  pairRounds,
  quantile,
  toQuantiles,
  toSpread,
} from '../../bench/gateway/statistics.ts'

test('the median of an even number of values lies between the two in the middle', () => {
  expect(median([4, 1, 3])).toBe(3)
  expect(median([4, 1, 3, 2])).toBe(2.5)
  expect(median([])).toBeNaN()
})

test('a quantile is one of the values', () => {
  const values = Array.from({ length: 100 }, (_, index) => 99 - index)
  expect(quantile(values, 0.99)).toBe(99)
  expect(quantile(values, 0.25)).toBe(25)
  expect(toQuantiles([])).toBeUndefined()
})

test('a spread leaves out rounds in which nothing was measured', () => {
  expect(toSpread([2, undefined, 1, Number.NaN, 6])).toEqual({
    median: 2,
    low: 1,
    high: 6,
    rounds: [2, 1, 6],
  })
  expect(toSpread([undefined])).toBeUndefined()
})

test('rounds are paired, so that a slow round of both does not count', () => {
  const ratio = pairRounds([1.1, 11, 2.2], [1, 10, undefined], (own, other) => own / other)
  expect(ratio?.rounds.map((value) => value.toFixed(2))).toEqual(['1.10', '1.10'])
})

test('within as many rounds as there are contenders, each begins one, and goes behind different ones', () => {
  const rounds = [0, 1, 2, 3].map((round) => inOrder(['a', 'b', 'c', 'd'], round).join(''))
  expect(rounds).toEqual(['abcd', 'badc', 'cdab', 'dcba'])
})
