import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FILTERS, PAGES, STATS } from './filters.ts'
import { readParams, writeQuery } from './params.ts'
import { readTime } from './times.ts'

const NOW = Date.parse('2026-11-15T12:00:00Z')
const ALL = { ...FILTERS, ...PAGES }
const read = (query: string): unknown => readParams(ALL, query, NOW)

describe('parameters', () => {
  test('are read as what they mean', () => {
    expect(
      read(
        '?since=7d&until=2026-11-15&model=claude-*&status=429&hasTools=true&limit=1000&text=two%20words',
      ),
    ).toEqual({
      since: NOW - 7 * 86_400_000,
      until: Date.parse('2026-11-15T00:00:00Z'),
      model: 'claude-*',
      status: 429,
      hasTools: true,
      limit: 1000,
      text: 'two words',
    })
    expect(read('?status=error')).toEqual({ status: 'error' })
    expect(read('')).toEqual({})
  })

  test.each([
    ['?modle=x', /no parameter "modle" here.*did you mean "model"\?/],
    ['?__proto__=x', /no parameter "__proto__"/],
    ['?limit=0', /"limit" cannot be "0": it takes a number from 1 to 1000/],
    ['?limit=1001', /1 to 1000/],
    ['?limit=1e2', /1 to 1000/],
    ['?since=yesterday', /"since" cannot be "yesterday".*7d/],
    ['?since=2026-13-45', /"since" cannot be/],
    ['?hasTools=yes', /true or false/],
    ['?outcome=ok', /done, refused/],
    ['?status=99', /100 to 599, or error/],
    ['?model=', /1 to 300 characters/],
    [`?model=${'x'.repeat(301)}`, /1 to 300 characters/],
    [`?text=${'x'.repeat(9000)}`, /query is too long/],
    ['?model=a&model=b', /"model" is said twice/],
  ])('say what is wrong with %s', (query, words) => {
    const said = read(query)
    expect(said).toBeInstanceOf(Error)
    expect((said as Error).message).toMatch(words)
    expect((said as Error).message.length).toBeLessThan(500)
  })

  test('never throw and never give out a name that is not in the table', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (name, value) => {
        const said = readParams(STATS, writeQuery({ [name]: value }), NOW)
        if (!(said instanceof Error))
          expect(Object.keys(said).every((one) => Object.hasOwn(STATS, one))).toBe(true)
      }),
      { seed: 6, numRuns: 300 },
    )
  })

  test('come back as they were written', () => {
    fc.assert(
      fc.property(
        fc.record(
          {
            model: fc.string({ minLength: 1, maxLength: 300, unit: 'grapheme' }),
            since: fc.integer({ min: 1_000_000_000, max: 2_000_000_000_000 }),
            hasTools: fc.boolean(),
            status: fc.oneof(fc.constant('error'), fc.integer({ min: 100, max: 599 })),
            limit: fc.integer({ min: 1, max: 1000 }),
          },
          { requiredKeys: [] },
        ),
        (query) => {
          fc.pre((query.model ?? '').length <= 300)
          expect(read(writeQuery(query))).toEqual(query)
        },
      ),
      { seed: 6, numRuns: 300 },
    )
  })
})

test.each([
  ['1763200000000', 1_763_200_000_000],
  ['30m', NOW - 1_800_000],
  ['2w', NOW - 14 * 86_400_000],
  ['2026-11-15 10:00', Date.parse('2026-11-15T10:00:00Z')],
  ['2026-11-15T10:00:00+02:00', Date.parse('2026-11-15T08:00:00Z')],
  ['2026-11-15T10:00:00.5Z', Date.parse('2026-11-15T10:00:00.500Z')],
  ['7', undefined],
  ['-7d', undefined],
  ['7 d', undefined],
  ['Sunday', undefined],
  ['', undefined],
])('%s is the time %s', (typed, at) => {
  expect(readTime(typed, NOW)).toBe(at)
})
