/** Sums of the API → rows of the tables below the plots. */
import type { PolicySummary, StatsBucket } from '../../src/store/query.ts'
import { sumOf } from './series.ts'

export interface SumRow {
  readonly name: string | undefined
  readonly exchanges: number
  readonly errors: number
  readonly p50: number | undefined
  readonly p99: number | undefined
  readonly tokens: number
  readonly cost: number
  readonly denied: number
}

export type SumColumn = Exclude<keyof SumRow, 'name'>

/** A year's end may cut the one step in two: the parts are put together again, times from the larger. */
export function toSumRows(buckets: readonly StatsBucket[], column: SumColumn): readonly SumRow[] {
  const rows = new Map<string | undefined, SumRow>()
  for (const bucket of buckets) {
    const known = rows.get(bucket.of)
    const row = toRow(bucket)
    rows.set(bucket.of, known === undefined ? row : join(known, row))
  }
  return [...rows.values()].toSorted((a, b) => (b[column] ?? 0) - (a[column] ?? 0))
}

const toRow = (bucket: StatsBucket): SumRow => ({
  name: bucket.of,
  exchanges: bucket.exchanges,
  errors: bucket.errors,
  p50: bucket.durationMs?.p50,
  p99: bucket.durationMs?.p99,
  tokens: bucket.inputTokens + bucket.outputTokens,
  cost: bucket.cost,
  denied: (bucket.verdicts['deny'] ?? 0) + (bucket.verdicts['halt'] ?? 0),
})

const join = (a: SumRow, b: SumRow): SumRow => {
  const larger = a.exchanges >= b.exchanges ? a : b
  return {
    name: a.name,
    exchanges: a.exchanges + b.exchanges,
    errors: a.errors + b.errors,
    p50: larger.p50,
    p99: larger.p99,
    tokens: a.tokens + b.tokens,
    cost: a.cost + b.cost,
    denied: a.denied + b.denied,
  }
}

export interface DenialRow {
  readonly policy: string
  readonly tool: string | undefined
  readonly type: string
  readonly isShadow: boolean
  readonly count: number
}

/** What policies did, the most frequent first; all versions of one together. */
export function toDenials(summaries: readonly PolicySummary[]): readonly DenialRow[] {
  const rows = new Map<string, DenialRow>()
  for (const { policy, tool, type, isShadow, count } of summaries) {
    if (type === 'pass') continue
    const key = JSON.stringify([policy, tool, type, isShadow])
    rows.set(key, { policy, tool, type, isShadow, count: count + (rows.get(key)?.count ?? 0) })
  }
  return [...rows.values()].toSorted((a, b) => b.count - a.count)
}

/** One bucket of all, where a boundary cut it. */
export function toTotal(buckets: readonly StatsBucket[] | undefined): StatsBucket | undefined {
  const [first, ...rest] = buckets ?? []
  if (first === undefined) return undefined
  return rest.reduce(
    (sum, bucket) => ({
      ...(bucket.exchanges > sum.exchanges ? bucket : sum),
      exchanges: sum.exchanges + bucket.exchanges,
      errors: sum.errors + bucket.errors,
      inputTokens: sum.inputTokens + bucket.inputTokens,
      outputTokens: sum.outputTokens + bucket.outputTokens,
      cost: sum.cost + bucket.cost,
      verdicts: sumOf(sum.verdicts) >= sumOf(bucket.verdicts) ? sum.verdicts : bucket.verdicts,
    }),
    first,
  )
}
