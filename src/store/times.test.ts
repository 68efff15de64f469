import fc from 'fast-check'
import { expect, test } from 'vitest'
import { packTimes, unpackTimes } from './times.ts'

const arrival = fc.tuple(fc.nat({ max: 2 ** 40 }), fc.nat({ max: 2 ** 40 }))

test('times come back as they were', () => {
  fc.assert(
    fc.property(fc.array(arrival), (arrivals) => {
      let at = 0
      const times = arrivals.flatMap(([size, later]) => {
        at += later
        return [size, at]
      })
      expect(unpackTimes(packTimes(times))).toEqual(times)
    }),
  )
})

test('a hundred arrivals take some three bytes each', () => {
  const times = Array.from({ length: 100 }, (_, i) => [120, 20_000 + i * 900]).flat()
  expect(packTimes(times).length).toBeLessThan(310)
})

test('a clock that goes back stands still, and nonsense is nothing', () => {
  expect(unpackTimes(packTimes([5, 100, 5, 90, 5, 110]))).toEqual([5, 100, 5, 100, 5, 110])
  expect(unpackTimes(packTimes([-1, Number.NaN, 1.6, Infinity]))).toEqual([
    0,
    0,
    2,
    Number.MAX_SAFE_INTEGER,
  ])
})
