import { describe, expect, test } from 'vitest'
import type { StatsBucket } from '../../src/store/query.ts'
import { before, stepFor, timesOf, toRange } from './range.ts'
import { toDenials, toSumRows, toTotal } from './rows.ts'
import { MAX_LINES, toGroups, toLine, toLonely } from './series.ts'

const bucket = (at: number, over: Partial<StatsBucket> = {}): StatsBucket => ({
  at,
  of: undefined,
  exchanges: 1,
  errors: 0,
  inputTokens: 10,
  outputTokens: 5,
  cost: 1,
  meanOpen: 0,
  firstByteMs: undefined,
  durationMs: undefined,
  verdicts: {},
  ...over,
})

describe('The time that is looked at', () => {
  test('ends at the next whole step, so that its past does not change while it moves on', () => {
    const one = toRange({ range: '1h' }, 1_000_000_010)
    const other = toRange({ range: '1h' }, 1_000_000_020)
    expect(one).toEqual(other)
    expect(one.until % one.step).toBe(0)
    expect(timesOf(one)).toHaveLength(60)
    expect(before(one)).toEqual({ since: one.since - 3_600_000, until: one.since })
  })

  test('can be one of a person’s own, and is the usual one where that makes no sense', () => {
    expect(toRange({ from: '1000', to: '61000' }, 5)).toMatchObject({
      since: 1000,
      isRunning: false,
    })
    expect(toRange({ from: '9', to: '3' }, 1e9)).toMatchObject({ id: '1h' })
    expect(toRange({ range: 'never' }, 1e9)).toMatchObject({ id: '1h' })
  })

  test('has about eighty steps at most, however long it is', () => {
    for (const span of [1, 60_000, 86_400_000, 366 * 86_400_000, 1e13])
      expect(span / stepFor(span)).toBeLessThanOrEqual(80)
  })
})

describe('Lines', () => {
  test('are zero where nothing was counted, and have a gap where nothing was measured', () => {
    const times = [0, 10, 20]
    const buckets = [bucket(10, { exchanges: 4, durationMs: { p50: 7, p99: 9 } })]
    const counted = { times, read: (of: StatsBucket) => of.exchanges, isCount: true }
    const measured = { times, read: (of: StatsBucket) => of.durationMs?.p50, isCount: false }
    expect(toLine('a', buckets, counted).values).toEqual([0, 4, 0])
    expect(toLine('a', buckets, measured).values).toEqual([null, 7, null])
  })

  test('show a value between two gaps as a point, because no line leads to it', () => {
    expect(toLonely([null, 7, null, 3, 4, null, 9])).toEqual([1, 6])
    expect(toLonely([0, 4, 0])).toBeNull()
  })

  test('of many values are the largest ones and the others together', () => {
    const buckets = Array.from({ length: 20 }, (_, at) =>
      bucket(0, { of: `m${at}`, exchanges: at }),
    )
    const groups = toGroups(buckets)
    expect(groups).toHaveLength(MAX_LINES)
    expect(groups[0]?.[0]).toBe('m19')
    expect(groups.at(-1)?.[0]).toBe('(others)')
    expect(groups.flatMap(([, list]) => list)).toHaveLength(20)
  })
})

describe('Sums', () => {
  test('are put together where a boundary cut them', () => {
    const buckets = [bucket(0, { of: 'a', exchanges: 2 }), bucket(9, { of: 'a', exchanges: 3 })]
    expect(toSumRows(buckets, 'exchanges')).toMatchObject([{ name: 'a', exchanges: 5, tokens: 30 }])
    expect(toTotal(buckets)).toMatchObject({ exchanges: 5, cost: 2 })
    expect(toTotal([])).toBeUndefined()
  })

  test('of what policies did hold all versions of one, and leave out what passed', () => {
    const one = {
      policy: 'p',
      version: '1',
      isShadow: false,
      type: 'deny',
      block: 'tool-call',
      tool: 'Bash',
      count: 2,
      examples: [],
    } as const
    expect(
      toDenials([one, { ...one, version: '2', count: 3 }, { ...one, type: 'pass' }]),
    ).toMatchObject([{ policy: 'p', tool: 'Bash', count: 5 }])
  })
})
