import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { OpenExchange } from '../../src/store/feed.ts'
import type { ExchangeSummary } from '../../src/store/query.ts'
import { fits } from './filter-fits.ts'
import { createRowBook, type RowBook } from './row-book.ts'
import { compareRows, type LiveVerdict } from './row.ts'

const open = (id: string, startedAt: number, over: Partial<OpenExchange> = {}): OpenExchange => ({
  id,
  requestId: `r-${id}`,
  gateway: 'one',
  startedAt,
  endpoint: '/v1/messages',
  wire: 'anthropic-messages',
  key: undefined,
  client: 'claude-cli',
  model: 'm',
  conversation: undefined,
  ...over,
})

const done = (
  id: string,
  startedAt: number,
  over: Partial<ExchangeSummary> = {},
): ExchangeSummary =>
  ({
    ...open(id, startedAt),
    status: 200,
    outcome: 'done',
    durationMs: 10,
    tools: [],
    verdicts: {},
    shadowVerdicts: {},
    ...over,
  }) as ExchangeSummary

const verdict = (type: string, isShadow = false): LiveVerdict =>
  ({ type, policy: 'rules', isShadow }) as LiveVerdict

const ids = (book: RowBook): readonly string[] => book.rows().map(({ id }) => id)
const all = (): RowBook => createRowBook(() => true, 100)

describe('The book of lines', () => {
  test('has each exchange once, the newest first, wherever it came from', () => {
    const step = fc.record({
      id: fc.integer({ min: 0, max: 30 }),
      how: fc.constantFrom('begun', 'finished', 'merge', 'past', 'verdict', 'gone', 'hold', 'let'),
      isRead: fc.boolean(),
    })
    const property = fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const book = createRowBook(() => true, 1000)
      const seen = new Set<string>()
      for (const { id: number, how, isRead } of steps) {
        const id = `x${String(number).padStart(2, '0')}`
        const at = 1000 + (number % 7)
        if (['begun', 'finished', 'merge', 'past'].includes(how)) seen.add(id)
        if (how === 'begun') book.begun(open(id, at))
        if (how === 'finished') book.finished(done(id, at))
        if (how === 'merge') book.merge([done(id, at)])
        if (how === 'past') book.merge([done(id, at)], true)
        if (how === 'verdict') book.verdict(id, verdict('deny'))
        if (how === 'gone') book.gone(id)
        if (how === 'hold') book.hold(true)
        if (how === 'let') book.hold(false)
        if (isRead) book.rows()
      }
      book.hold(false)
      const rows = book.rows()
      expect(new Set(rows.map(({ id }) => id))).toEqual(seen)
      expect(rows.length).toBe(seen.size)
      expect(rows).toEqual(rows.toSorted(compareRows))
    })
    fc.assert(property)
  })

  test('keeps new ones outside while it is held, and lets changes of the others in', () => {
    const book = all()
    book.begun(open('a', 1))
    book.hold(true)
    book.begun(open('b', 2))
    book.finished(done('b', 2))
    book.finished(done('a', 1))
    expect(ids(book)).toEqual(['a'])
    expect(book.rows()[0]?.state).toBe('done')
    expect(book.heldCount()).toBe(1)
    book.hold(false)
    expect(ids(book)).toEqual(['b', 'a'])
    expect(book.rows()[0]?.state).toBe('done')
  })

  test('knows who decided also when the exchange is over', () => {
    const book = all()
    book.begun(open('a', 1))
    book.verdict('a', verdict('deny'))
    book.verdict('a', verdict('deny', true))
    book.finished(done('a', 1, { verdicts: { deny: 1 }, shadowVerdicts: { deny: 1 } }))
    expect(book.rows()[0]).toMatchObject({
      verdicts: { deny: 1 },
      policies: { deny: ['rules'], 'shadow deny': ['rules'] },
    })
  })

  test('holds no more than it may, and drops the oldest', () => {
    const book = createRowBook(() => true, 3)
    for (const at of [5, 1, 4, 2, 3]) book.begun(open(`x${at}`, at))
    expect(ids(book)).toEqual(['x5', 'x4', 'x3'])
    expect(book.isFull()).toBe(true)
  })

  test('shows an open one that does not fit yet as soon as it does', () => {
    const book = createRowBook((row) => fits({ verdict: 'deny' }, row), 10)
    book.begun(open('a', 1))
    expect(ids(book)).toEqual([])
    book.verdict('a', verdict('deny'))
    expect(ids(book)).toEqual(['a'])
    expect(book.finished(done('b', 2))).toBe(false)
    expect(book.finished(done('a', 1, { verdicts: { deny: 1 } }))).toBe(true)
    expect(ids(book)).toEqual(['a'])
  })

  test('says when only the API can tell whether one fits', () => {
    const tools = createRowBook((row) => fits({ tool: 'Bash' }, row), 10)
    expect(tools.finished(done('a', 1))).toBeUndefined()
    expect(tools.finished(done('b', 2, { tools: [{ name: 'Bash', count: 1 }] }))).toBe(true)
    const texts = createRowBook((row) => fits({ text: 'rm' }, row), 10)
    expect(texts.finished(done('a', 1))).toBeUndefined()
    texts.merge([done('a', 1)])
    expect(ids(texts)).toEqual(['a'])
  })

  test('tells which ones were open and are not any more', () => {
    const book = all()
    book.begun(open('a', 1))
    book.begun(open('b', 2))
    expect(book.begin([open('b', 2), open('c', 3)]).map(({ id }) => id)).toEqual(['a'])
    expect(ids(book)).toEqual(['c', 'b', 'a'])
  })
})
