import { beforeEach, describe, expect, test } from 'vitest'
import type { KeySettings } from '../config/settings.ts'
import { createLedger, UNDER_WAY_MS, type Ledger, type Spent } from './ledger.ts'

const KEY: KeySettings = {
  name: 'blue',
  hash: '',
  models: undefined,
  rate: undefined,
  budget: undefined,
  concurrent: undefined,
}

/** What another worker tells. */
const THEIRS: Spent = { key: 'blue', requests: 0, tokens: 0, period: '' }

let time = 0
let spent: Spent[] = []
let ledger: Ledger
beforeEach(() => {
  time = Date.UTC(2026, 0, 31, 23, 59)
  spent = []
  ledger = createLedger(
    (one) => spent.push(one),
    () => time,
  )
})

const kind = (key: KeySettings): string | undefined => ledger.begin(key)?.fault.kind

describe('a rate', () => {
  const key: KeySettings = { ...KEY, rate: { requests: 3, per: 60_000 } }

  test('lets so many pass at once, then one for each part of the time', () => {
    expect([1, 2, 3].map(() => kind(key))).toEqual([undefined, undefined, undefined])
    expect(ledger.begin(key)).toMatchObject({ fault: { kind: 'rate-limit' }, retryAfter: 20 })
    time += 19_000
    expect(ledger.begin(key)?.retryAfter).toBe(1)
    time += 1000
    expect(kind(key)).toBeUndefined()
    expect(kind(key)).toBe('rate-limit')
  })

  test('saves up no more than its number', () => {
    kind(key)
    time += 3_600_000
    expect([1, 2, 3, 4].map(() => kind(key))).toEqual([
      undefined,
      undefined,
      undefined,
      'rate-limit',
    ])
  })

  test('is not used up by a clock that is put back', () => {
    kind(key)
    time -= 3_600_000
    expect(kind(key)).toBeUndefined()
    time += 20_000
    expect([1, 2, 3].map(() => kind(key))).toEqual([undefined, undefined, 'rate-limit'])
  })

  test('counts what other workers took', () => {
    ledger.add({ ...THEIRS, requests: 2, rate: key.rate })
    expect(kind(key)).toBeUndefined()
    expect(kind(key)).toBe('rate-limit')
  })

  test('fills up again from what other workers took, met or not', () => {
    for (let count = 0; count < 30; count++) {
      ledger.add({ ...THEIRS, requests: 1, rate: key.rate })
      time += 20_000
    }
    expect([1, 2, 3, 4].map(() => kind(key))).toEqual([
      undefined,
      undefined,
      undefined,
      'rate-limit',
    ])
  })

  test('is neither used by what is free, nor in its way', () => {
    for (let count = 0; count < 9; count++) expect(ledger.begin(key, true)).toBeUndefined()
    expect([1, 2, 3].map(() => kind(key))).toEqual([undefined, undefined, undefined])
    expect(ledger.begin(key, true)).toBeUndefined()
    expect(spent).toHaveLength(3)
    expect(ledger.begin({ ...key, concurrent: 13 }, true)?.fault.kind).toBe('rate-limit')
  })

  test('that was taken away and comes back is whole', () => {
    kind(key)
    for (let count = 0; count < 9; count++) kind(KEY)
    expect(kind(key)).toBeUndefined()
  })

  test('is the key’s own', () => {
    for (let count = 0; count < 4; count++) kind(key)
    expect(kind({ ...key, name: 'red' })).toBeUndefined()
  })

  test('charges nothing for a request that is refused', () => {
    for (let count = 0; count < 30; count++) kind(key)
    time += 20_000
    expect(kind(key)).toBeUndefined()
  })
})

describe('a budget', () => {
  const budget = (per: 'day' | 'month' | 'ever'): KeySettings => ({
    ...KEY,
    budget: { tokens: 100, per },
  })

  test('is used up by what was answered, and full again in the next period', () => {
    for (const per of ['day', 'month'] as const) {
      const key = { ...budget(per), name: per }
      time = Date.UTC(2026, 0, 31, 23, 59)
      expect(kind(key)).toBeUndefined()
      ledger.end(key, 100)
      expect(kind(key)).toBe('billing')
      time += 60_000 // both a day and a month further
      expect(kind(key)).toBeUndefined()
    }
  })

  test('of a month counts after many days of a budget of a day', () => {
    time = Date.UTC(2026, 0, 1)
    for (let day = 0; day < 10; day++) {
      kind(budget('day'))
      ledger.end(budget('day'), 1)
      time += 86_400_000
    }
    kind(budget('month'))
    ledger.end(budget('month'), 100)
    expect(kind(budget('month'))).toBe('billing')
  })

  test('for ever stays used up', () => {
    const key = budget('ever')
    kind(key)
    ledger.end(key, 1000)
    time += 400 * 86_400_000
    expect(kind(key)).toBe('billing')
  })

  test.each([
    ['day', '2026-01-31'],
    ['month', '2026-01'],
    ['ever', ''],
  ] as const)('counts what other workers spent, met or not: %s', (per, period) => {
    const key = budget(per)
    ledger.add({ ...THEIRS, tokens: 60, period })
    expect(kind(key)).toBeUndefined()
    ledger.add({ ...THEIRS, tokens: 40, period })
    expect(kind(key)).toBe('billing')
    ledger.end(key, 0)
    expect(spent.at(0)?.period).toBe(period)
  })

  test('of a new period is not used up by what comes late of the one before', () => {
    const key = budget('day')
    ledger.add({ ...THEIRS, tokens: 100, period: '2026-01-31' })
    ledger.add({ ...THEIRS, tokens: 1, period: '2026-02-01' })
    ledger.add({ ...THEIRS, tokens: 99, period: '2026-01-31' })
    time += 60_000
    expect(kind(key)).toBeUndefined()
    ledger.add({ ...THEIRS, tokens: 99, period: '2026-02-01' })
    expect(kind(key)).toBe('billing')
  })
})

test('so many at once, and again when one is over', () => {
  const key = { ...KEY, concurrent: 2 }
  expect([1, 2, 3].map(() => kind(key))).toEqual([undefined, undefined, 'rate-limit'])
  ledger.end(key, 0)
  expect(kind(key)).toBeUndefined()
})

test('tells other workers of requests and of tokens', () => {
  ledger.begin(KEY)
  ledger.end(KEY, 7)
  ledger.begin(KEY)
  ledger.end(KEY, 0)
  expect(spent).toEqual([
    { ...THEIRS, requests: 1 },
    { ...THEIRS, tokens: 7 },
    { ...THEIRS, requests: 1 },
  ])
})

test('a worker that starts later stands where the others do', () => {
  const key: KeySettings = {
    ...KEY,
    rate: { requests: 3, per: 60_000 },
    budget: { tokens: 100, per: 'day' },
  }
  const first = createLedger(
    () => {},
    () => time,
  )
  for (const requests of [2, 1]) first.add({ ...THEIRS, requests, rate: key.rate })
  first.add({ ...THEIRS, tokens: 60, period: '2026-01-31', rate: key.rate })
  time += 20_000
  for (const one of first.standing()) ledger.add(one)
  expect(kind(key)).toBeUndefined()
  expect(kind(key)).toBe('rate-limit')
  ledger.end(key, 40)
  expect(kind(key)).toBe('billing')
})

test('a key whose limits change keeps what it has used', () => {
  const key: KeySettings = { ...KEY, budget: { tokens: 100, per: 'ever' } }
  ledger.begin(key)
  ledger.end(key, 60)
  expect(kind({ ...key, budget: { tokens: 50, per: 'ever' } })).toBe('billing')
  expect(kind({ ...key, budget: { tokens: 61, per: 'ever' } })).toBeUndefined()
})

describe('exchanges at once', () => {
  const key: KeySettings = { ...KEY, concurrent: 2 }

  test('count those elsewhere, for as long as these are heard of', () => {
    ledger.setUnderWay('b', { blue: 1 })
    expect(kind(key)).toBeUndefined()
    expect(kind(key)).toBe('rate-limit')
    expect(ledger.underWay()).toEqual({ blue: 1 })
    ledger.setUnderWay('b', {})
    expect(kind(key)).toBeUndefined()
    ledger.end(key, 0)
    ledger.setUnderWay('b', { blue: 1 })
    expect(kind(key)).toBe('rate-limit')
    time += UNDER_WAY_MS + 1
    expect(kind(key)).toBeUndefined()
  })

  test('are free again when one is gone', () => {
    ledger.setUnderWay('b.1', { blue: 2 })
    ledger.setUnderWay('c', { red: 2 })
    expect(kind(key)).toBe('rate-limit')
    ledger.forget((who) => who.startsWith('b'))
    expect(kind(key)).toBeUndefined()
  })
})
