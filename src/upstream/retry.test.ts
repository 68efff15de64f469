import { describe, expect, test } from 'vitest'
import { isRetryable, pauseBefore, readRetryAfter } from './retry.ts'

test.each([
  [400, false],
  [401, false],
  [403, false],
  [404, false],
  [408, true],
  [409, true],
  [413, false],
  [422, false],
  [425, true],
  [429, true],
  [500, true],
  [503, true],
  [529, true],
])('whether %i may succeed later: %s', (status, expected) => {
  expect(isRetryable(status, {})).toBe(expected)
})

test('what the upstream says of it counts more than the status', () => {
  expect(isRetryable(400, { 'x-should-retry': 'true' })).toBe(true)
  expect(isRetryable(503, { 'x-should-retry': 'false' })).toBe(false)
  expect(isRetryable(503, { 'x-should-retry': 'perhaps' })).toBe(true)
})

describe('how long an upstream asks to be left alone', () => {
  const NOW = Date.UTC(2026, 0, 1, 12, 0, 0)
  test.each([
    [{}, undefined],
    [{ 'retry-after': '2' }, 2000],
    [{ 'retry-after': ' 1.5 ' }, 1500],
    [{ 'retry-after': '2', 'retry-after-ms': '30' }, 30],
    [{ 'retry-after': 'Thu, 01 Jan 2026 12:00:07 GMT' }, 7000],
    [{ 'retry-after': 'Thu, 01 Jan 2026 11:00:00 GMT' }, 0],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after-ms': 'soon', 'retry-after': '1' }, 1000],
    [{ 'retry-after': '0' }, 0],
  ])('%o', (headers, expected) => {
    expect(readRetryAfter(headers as Record<string, string>, NOW)).toBe(expected)
  })
})

describe('the pause before another attempt', () => {
  const settings = { attempts: 9, backoff: 100, maxBackoff: 500, maxRetryAfter: 2000 }
  const most = (attempt: number, asked?: number) => pauseBefore(attempt, settings, asked, () => 0)

  test('doubles up to a limit', () => {
    expect([1, 2, 3, 4, 5, 30].map((attempt) => most(attempt))).toEqual([
      100, 200, 400, 500, 500, 500,
    ])
  })

  test('is up to a quarter shorter by chance', () => {
    expect(pauseBefore(1, settings, undefined, () => 1)).toBe(75)
  })

  test('is never shorter than what was asked for', () => {
    expect(most(1, 1500)).toBe(1500)
    expect(most(3, 10)).toBe(400)
  })

  test('is not made at all where too much was asked for', () => {
    expect(most(1, 2000)).toBe(2000)
    expect(most(1, 2001)).toBeUndefined()
  })
})
