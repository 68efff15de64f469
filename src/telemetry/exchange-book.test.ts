import fc from 'fast-check'
import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { attempt, report } from '../../test/support/sample-report.ts'
import { ExchangeBook, isPlain } from './exchange-book.ts'
import { createFigures, type Figures } from './figures.ts'

const create = (): { figures: Figures; book: ExchangeBook } => {
  const figures = createFigures(new Registry())
  return { figures, book: new ExchangeBook(figures) }
}

const sumOf = async (figure: Figures['exchanges'] | Figures['tokens']): Promise<number> =>
  (await figure.get()).values.reduce((sum, { value }) => sum + value, 0)

const countOf = async (figure: Figures['duration']): Promise<number> =>
  (await figure.get()).values
    .filter(({ metricName }) => metricName?.endsWith('_count'))
    .reduce((sum, { value }) => sum + value, 0)

/** Few words each, so that exchanges of one kind come again, behind each other and not. */
const one = fc.record({
  endpoint: fc.constantFrom('/v1/messages', '/v1/responses'),
  upstream: fc.constantFrom('a', 'b', undefined),
  route: fc.constantFrom('*', undefined),
  status: fc.constantFrom(200, 529),
  isStream: fc.boolean(),
  bytesIn: fc.nat(1000),
  usage: fc.option(fc.record({ inputTokens: fc.nat(100), outputTokens: fc.nat(100) }), {
    nil: undefined,
  }),
})

test('whatever comes in whatever order, each exchange is counted once under its own labels', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(one, { maxLength: 60 }), fc.nat(60), async (all, readAt) => {
      const { figures, book } = create()
      for (const [at, given] of all.entries()) {
        if (at === readAt) book.flush()
        book.add(report(given))
      }
      book.flush()
      const { values } = await figures.exchanges.get()
      for (const { labels, value } of values) {
        const alike = all.filter(
          ({ endpoint, upstream, route, status }) =>
            endpoint === labels.endpoint &&
            (upstream ?? '') === labels.upstream &&
            (route ?? '') === labels.route &&
            String(status) === labels.status,
        )
        expect(value).toBe(alike.length)
      }
      expect(await sumOf(figures.exchanges)).toBe(all.length)
      expect(await countOf(figures.duration)).toBe(all.length)
      const bytesIn = all.reduce((sum, given) => sum + given.bytesIn, 0)
      const told = (await figures.bytes.get()).values.find((at) => at.labels.direction === 'in')
      expect(told?.value ?? 0).toBe(bytesIn)
      const tokens = all.reduce(
        (sum, { usage }) => sum + (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0),
        0,
      )
      expect(await sumOf(figures.tokens)).toBe(tokens)
    }),
  )
})

test('where nobody reads, what is kept is bounded: the rest is told before', async () => {
  const { figures, book } = create()
  for (let at = 0; at < 600; at++) book.add(report())
  expect(await sumOf(figures.exchanges)).toBe(512)
  for (let at = 0; at < 300; at++) book.add(report({ route: String(at) }))
  expect(await sumOf(figures.exchanges)).toBeGreaterThan(800)
  book.flush()
  book.flush()
  expect(await sumOf(figures.exchanges)).toBe(900)
  expect(await countOf(figures.duration)).toBe(900)
})

test('an attempt that has labels of its own is not counted with its exchange', () => {
  const of = (attempts: ReturnType<typeof attempt>[]): boolean =>
    isPlain(report({ upstream: 'a', status: 200, attempts }))
  expect(of([attempt({ upstream: 'a', status: 200 })])).toBe(true)
  expect(of([attempt({ upstream: 'b', status: 200 })])).toBe(false)
  expect(of([attempt({ upstream: 'a', status: 500 })])).toBe(false)
  expect(of([])).toBe(false)
  expect(of([attempt({ upstream: 'a', status: 200 }), attempt({ upstream: 'a' })])).toBe(false)
})
