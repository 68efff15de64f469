import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FILTERS } from '../../src/api/filters.ts'
import { WIRE_NAMES, OUTCOMES } from '../../src/api/words.ts'
import {
  checkValue,
  FILTER_NAMES,
  fromAddress,
  IS_VALUES,
  toAddress,
  toExchangeQuery,
  type Filter,
} from './filter.ts'
import { parseFilter, printFilter } from './filter-words.ts'

const NOW = Date.UTC(2026, 10, 15)

describe('The words of a filter', () => {
  test('are names with values, and the rest is text to search for', () => {
    const { filter, words } = parseFilter(
      'tool:Bash verdict:deny model:claude* status:error key:team since:2h rm -rf',
      NOW,
    )
    expect(filter).toEqual({
      tool: 'Bash',
      verdict: 'deny',
      model: 'claude*',
      status: 'error',
      key: 'team',
      since: '2h',
      text: 'rm -rf',
    })
    expect(words.every(({ fault }) => fault === undefined)).toBe(true)
    expect(toExchangeQuery(filter, NOW)).toMatchObject({ since: NOW - 7_200_000, status: 'error' })
  })

  test('take values with spaces in quotes, and names in any case', () => {
    expect(parseFilter('Tool:"my tool" HASTOOLS:true').filter).toEqual({
      tool: 'my tool',
      hasTools: 'true',
    })
    expect(parseFilter(String.raw`text:"say \"no\" \\ twice"`).filter.text).toBe(
      String.raw`say "no" \ twice`,
    )
  })

  test('say what is wrong at the word where it is', () => {
    const { filter, words } = parseFilter('modle:x status:700 tool:Bash tool:Read is:done', NOW)
    expect(filter).toEqual({ tool: 'Bash' })
    expect(words.map(({ start, fault }) => [start, fault])).toEqual([
      [0, 'There is no filter "modle": did you mean "model"?'],
      [8, '"status" cannot be "700": it takes a status from 100 to 599, or error'],
      [19, undefined],
      [29, '"tool" is said twice: say it once'],
      [39, '"is" cannot be "done": it takes open, waiting'],
    ])
  })

  test('leave alone what people paste from a log', () => {
    expect(parseFilter('Error: cannot reach https://example.com/a:b').filter).toEqual({
      text: 'Error: cannot reach https://example.com/a:b',
    })
    expect(parseFilter('"tool:Bash"').filter).toEqual({ text: 'tool:Bash' })
  })

  test('have a name for each filter of the API', () => {
    expect(FILTER_NAMES.toSorted()).toEqual([...Object.keys(FILTERS), 'is'].toSorted())
  })
})

const anyText = fc.string({ minLength: 1, maxLength: 40, unit: 'grapheme' })
const wordy = fc
  .array(
    fc.constantFrom('rm', '-rf', 'tool:', 'tool:Bash', '"a', 'x"y', 'http://a', ' ', '\\', 'a:b'),
    { minLength: 1 },
  )
  .map((words) => words.join(' '))
const name = fc.oneof(anyText, wordy)
const time = fc.oneof(
  fc.constantFrom('2h', '30m', '7d', '2026-11-15', '2026-11-15T10:00:00Z'),
  fc.nat().map((n) => String(1_700_000_000_000 + n)),
)
const flag = fc.constantFrom('true', 'false')

const filters: fc.Arbitrary<Filter> = fc.record(
  {
    since: time,
    until: time,
    model: name,
    route: name,
    upstream: name,
    key: name,
    client: name,
    wire: fc.constantFrom(...WIRE_NAMES),
    conversation: name,
    status: fc.oneof(fc.constant('error'), fc.integer({ min: 100, max: 599 }).map(String)),
    outcome: fc.constantFrom(...OUTCOMES),
    tool: name,
    hasTools: flag,
    verdict: name,
    policy: name,
    isShadow: flag,
    text: name,
    is: fc.constantFrom(...IS_VALUES),
  },
  { requiredKeys: [] },
)

describe('Any filter', () => {
  test('is the same after it was printed and parsed', () => {
    const same = fc.property(filters, (filter) => {
      const { filter: read, words } = parseFilter(printFilter(filter), NOW)
      expect(words.filter(({ fault }) => fault !== undefined)).toEqual([])
      expect(read).toEqual(filter)
    })
    fc.assert(same)
  })

  test('is the same after it was in the address', () => {
    const same = fc.property(filters, (filter) => {
      const address = Object.entries(toAddress(filter)).filter(([, value]) => value !== undefined)
      expect(fromAddress(Object.fromEntries(address) as Record<string, string>)).toEqual(filter)
    })
    fc.assert(same)
  })
})

describe('Anything typed', () => {
  test('is read without a fault of ours, each letter in at most one word, and only right values are taken', () => {
    const property = fc.property(fc.oneof(anyText, wordy), (typed) => {
      const { filter, words } = parseFilter(typed, NOW)
      let at = 0
      for (const { start, end } of words) {
        expect(start).toBeGreaterThanOrEqual(at)
        expect(typed.slice(at, start).trim()).toBe('')
        expect(end).toBeGreaterThan(start)
        at = end
      }
      expect(typed.slice(at).trim()).toBe('')
      for (const one of FILTER_NAMES) {
        const value = filter[one]
        if (value !== undefined && one !== 'text')
          expect(checkValue(one, value, NOW)).toBeUndefined()
      }
    })
    fc.assert(property)
  })
})
