/**
 * What keys have spent ↔ rows of the table `ledger`. Neighbours: `news-log.ts` has the questions, `ledger.ts` the books.
 */
import type { Spent } from './ledger.ts'
import type { Row } from './postgres-link.ts'

/** In the order in which `PUBLISH` takes them. */
export const toLedgerRow = ({ key, period, tokens, requests, rate }: Spent): readonly unknown[] => [
  key,
  period,
  tokens,
  rate === undefined ? 0 : requests,
  rate?.requests,
  rate?.per,
]

/**
 * What the books here must add to stand where the table does: the table, without what is known here, but for what is
 * not in the table yet.
 */
export function missing(
  rows: readonly Row[],
  standing: readonly Spent[],
  unwritten: readonly Spent[],
): readonly Spent[] {
  const here = createSums()
  for (const one of standing) here.add(one, 1)
  for (const one of unwritten) here.add(one, -1)
  const usedOf = new Map<string, number>()
  const rateOf = new Map<string, Spent['rate']>()
  const spent: Spent[] = []
  for (const row of rows) {
    if (typeof row['key_name'] !== 'string') continue
    const key = row['key_name']
    const period = String(row['period'])
    const rate = toRate(row)
    const tokens = Number(row['tokens']) - here.tokens(key, period)
    if (tokens !== 0) spent.push({ key, period, tokens, requests: 0, rate })
    usedOf.set(key, (usedOf.get(key) ?? 0) + Number(row['used']))
    if (rate !== undefined) rateOf.set(key, rate)
  }
  for (const [key, rate] of rateOf) {
    const requests = (usedOf.get(key) ?? 0) - Math.max(0, here.requests(key))
    if (requests > 0) spent.push({ key, period: '', tokens: 0, requests, rate })
  }
  return spent
}

interface Sums {
  add(one: Spent, times: 1 | -1): void
  tokens(key: string, period: string): number
  requests(key: string): number
}

function createSums(): Sums {
  const tokens = new Map<string, number>()
  const requests = new Map<string, number>()
  const nameOf = (key: string, period: string): string => JSON.stringify([key, period])
  const put = (to: Map<string, number>, name: string, value: number): void =>
    void to.set(name, (to.get(name) ?? 0) + value)
  return {
    add(one, times) {
      put(tokens, nameOf(one.key, one.period), times * one.tokens)
      put(requests, one.key, times * one.requests)
    },
    tokens: (key, period) => tokens.get(nameOf(key, period)) ?? 0,
    requests: (key) => requests.get(key) ?? 0,
  }
}

function toRate(row: Row | undefined): Spent['rate'] {
  const requests = Number(row?.['rate_requests'] ?? 0)
  const per = Number(row?.['rate_per'] ?? 0)
  return requests > 0 && per > 0 ? { requests, per } : undefined
}
