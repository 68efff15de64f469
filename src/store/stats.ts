/**
 * Figures over time. Neighbours: `conditions.ts` says what is asked. The engine counts and sorts; what comes back is as
 * long as there are steps, however many exchanges there were.
 */
import { sql, type RawBuilder } from 'kysely'
import { SluiceError } from '../base/sluice-error.ts'
import { allOf, e, exchangeConditions, type Condition } from './conditions.ts'
import type { Engine } from './engine.ts'
import type { StatsBucket, StatsQuery } from './query.ts'
import { PLACES } from './tables.ts'

/** A picture has no more points. */
const MAX_STEPS = 2_000
/** How many there are about, where nobody says how long one is. */
const STEPS = 60
/** Lines beside each other; the rest is one line of its own. */
const MAX_LINES = 50
const OTHERS = '(others)'

const COLUMNS = {
  model: 'model',
  route: 'route',
  key: 'key_name',
  upstream: 'upstream',
  client: 'client',
} as const

export async function readStats(
  engine: Engine,
  query: StatsQuery,
  now: number,
): Promise<readonly StatsBucket[]> {
  const where = allOf(exchangeConditions(query, engine.terms))
  const step = await toStep(engine, query, { where, now })
  if (step === undefined) return []
  // Written into the text: a bound number would be a real one, and so would what is divided by it.
  const at = sql<number>`(e.n / ${sql.lit(step * PLACES)})`
  const line = await toLine(engine, query, where)
  const source: Source = { at, line, where }
  const sums = await readSums(engine, source)
  const verdicts = await readVerdicts(engine, source)
  return sums.map((row) => ({
    at: row.step * step,
    of: row.line ?? undefined,
    exchanges: row.exchanges,
    errors: row.errors,
    inputTokens: row.inputTokens,
    outputTokens: row.outputTokens,
    cost: row.cost,
    meanOpen: row.durations / step,
    firstByteMs: toShares(row.first50, row.first99),
    durationMs: toShares(row.whole50, row.whole99),
    verdicts: verdicts.get(toKey(row.step, row.line)) ?? {},
  }))
}

interface Source {
  readonly at: RawBuilder<number>
  readonly line: RawBuilder<unknown>
  readonly where: Condition
}

const toKey = (step: number, line: string | null): string => `${step} ${line ?? ''}`

/** Lengths that a person would choose. */
const LENGTHS = [1, 5, 15, 60, 300, 900, 3_600, 10_800, 21_600, 86_400, 604_800].map(
  (seconds) => seconds * 1_000,
)

/** `undefined` where there is nothing. */
async function toStep(
  { db }: Engine,
  query: StatsQuery,
  { where, now }: { readonly where: Condition; readonly now: number },
): Promise<number | undefined> {
  const { rows } = await sql<{
    first: number | null
    last: number | null
  }>`select min(e.started_at) as first, max(e.started_at) as last from exchanges as e where ${where}`.execute(
    db,
  )
  const [range] = rows
  if (range?.first == null || range.last == null) return undefined
  const span = Math.max(1, range.last - range.first + 1)
  if (query.step === undefined) {
    const asked = (query.until ?? now) - (query.since ?? range.first)
    const about = Math.max(span, Math.min(asked, Number.MAX_SAFE_INTEGER)) / STEPS
    return LENGTHS.find((length) => length >= about) ?? Math.ceil(about / 604_800_000) * 604_800_000
  }
  const step = Math.floor(query.step)
  if (step >= 1 && span / step <= MAX_STEPS) return step
  throw new SluiceError(
    'wrong-use',
    `Cannot count in steps of ${query.step} ms: over this time a step has ${Math.ceil(span / MAX_STEPS)} ms or more`,
  )
}

/** Its own name for each of the largest, one for all others. */
async function toLine(
  { db }: Engine,
  { by }: StatsQuery,
  where: Condition,
): Promise<RawBuilder<unknown>> {
  if (by === undefined) return sql`cast(null as text)`
  const column = e(COLUMNS[by])
  const { rows } = await sql<{
    line: string | null
  }>`select ${column} as line from exchanges as e where ${where} group by ${column} order by count(*) desc, ${column} limit ${sql.lit(MAX_LINES + 1)}`.execute(
    db,
  )
  if (rows.length <= MAX_LINES) return sql`${column}`
  const names = rows.slice(0, MAX_LINES).flatMap(({ line }) => line ?? [])
  return sql`case when ${column} is null or ${column} in (${sql.join(names)}) then ${column} else ${OTHERS} end`
}

interface SumRow extends Pick<
  StatsBucket,
  'exchanges' | 'errors' | 'inputTokens' | 'outputTokens' | 'cost'
> {
  readonly step: number
  readonly line: string | null
  /** All of them together. */
  readonly durations: number
  readonly first50: number | null
  readonly first99: number | null
  readonly whole50: number | null
  readonly whole99: number | null
}

/** All in one walk: half of them do not pass the first value of each pair, 99 of 100 not the second. */
async function readSums(
  { db, terms }: Engine,
  { at, line, where }: Source,
): Promise<readonly SumRow[]> {
  const chosen = sql`select ${at} as step, ${line} as line, e.outcome, e.status, e.input_tokens, e.output_tokens, e.cost, e.first_byte_ms, e.duration_ms from exchanges as e where ${where}`
  const share = (column: string, part: number, name: string) =>
    sql`${terms.share(sql.ref(`x.${column}`), part)} as ${sql.ref(name)}`
  const shares = sql.join([
    share('first_byte_ms', 0.5, 'first50'),
    share('first_byte_ms', 0.99, 'first99'),
    share('duration_ms', 0.5, 'whole50'),
    share('duration_ms', 0.99, 'whole99'),
  ])
  const { rows } =
    await sql<SumRow>`select x.step, x.line, count(*) as exchanges, sum(case when x.outcome <> 'done' or x.status >= 400 then 1 else 0 end) as errors, coalesce(sum(x.input_tokens), 0) as "inputTokens", coalesce(sum(x.output_tokens), 0) as "outputTokens", coalesce(sum(x.cost), 0) as cost, coalesce(sum(x.duration_ms), 0) as durations, ${shares} from (${chosen}) as x group by x.step, x.line`.execute(
      db,
    )
  // The engines have different opinions on where nothing stands among names.
  return rows.toSorted((a, b) => a.step - b.step || compare(a.line ?? '', b.line ?? ''))
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const toShares = (p50: number | null, p99: number | null): StatsBucket['durationMs'] =>
  p50 === null || p99 === null ? undefined : { p50, p99 }

async function readVerdicts(
  { db }: Engine,
  { at, line, where }: Source,
): Promise<ReadonlyMap<string, Record<string, number>>> {
  const chosen = sql`select ${at} as step, ${line} as line, c.type from verdicts as c join exchanges as e on e.n = c.n where c.is_shadow = 0 and ${where}`
  const { rows } = await sql<{
    step: number
    line: string | null
    type: string
    count: number
  }>`select x.step, x.line, x.type, count(*) as count from (${chosen}) as x group by x.step, x.line, x.type`.execute(
    db,
  )
  const counts = new Map<string, Record<string, number>>()
  for (const { step, line: of, type, count } of rows) {
    const key = toKey(step, of)
    counts.set(key, { ...counts.get(key), [type]: count })
  }
  return counts
}
