/**
 * Lists of exchanges, and one of them. Neighbours: `conditions.ts` says what is asked, `from-rows.ts` what comes back.
 *
 * A page is found in two steps: the places of its exchanges from whatever table has them in order (the words that were
 * searched for, one tool, one kind of verdict, or the exchanges themselves), then their rows. So a rare tool is not
 * looked for in every exchange, and a common one is not sorted.
 */
import { sql, type RawBuilder } from 'kysely'
import {
  allOf,
  askedWords,
  asksForVerdict,
  e,
  exchangeConditions,
  placeConditions,
  verdictConditions,
  type Answered,
  type Condition,
} from './conditions.ts'
import type { Engine } from './engine.ts'
import { cut } from './fit.ts'
import { toSummary, toWholeRow, type Counted } from './from-rows.ts'
import { readCursor, toLimit, toPage } from './page.ts'
import { toPattern } from './pattern.ts'
import type { ExchangeQuery, ExchangeRecord, ExchangeSummary, Page, PageQuery } from './query.ts'
import { BODY_KINDS } from './record.ts'
import type { RecordsDb } from './tables.ts'

export async function listExchanges(
  engine: Engine,
  query: ExchangeQuery & PageQuery,
): Promise<Page<ExchangeSummary>> {
  const limit = toLimit(query)
  const places = await findPlaces(engine, query, limit + 1)
  const page = toPage(places, limit, { item: (n) => n, cursor: String })
  const rows = await readRows(engine.db, page.items)
  return { items: page.items.flatMap((n) => rows.get(n) ?? []), next: page.next }
}

export async function countExchanges(
  engine: Engine,
  query: ExchangeQuery,
  max: number,
): Promise<number> {
  const limit = Math.max(0, Math.min(Number.MAX_SAFE_INTEGER, Math.floor(max)))
  const places = placesQuery(engine, query, { limit })
  const { rows } = await sql<{
    count: number
  }>`select count(*) as count from (${places}) as p`.execute(engine.db)
  return rows[0]?.count ?? 0
}

async function findPlaces(
  engine: Engine,
  query: ExchangeQuery & PageQuery,
  limit: number,
): Promise<readonly number[]> {
  const { rows } = await placesQuery(engine, query, { ...query, limit }).execute(engine.db)
  return rows.map(({ n }) => n)
}

/** Places of the exchanges that fit, in order. */
export function placesQuery(
  { terms }: Engine,
  query: ExchangeQuery,
  { cursor, limit, isOldestFirst = false }: PageQuery & { limit: number },
): RawBuilder<{ n: number }> {
  const source = toSource(query, terms)
  const conditions = [
    ...exchangeConditions(query, terms, source.answered),
    ...source.conditions,
    ...placeConditions(query, source.place),
  ]
  if (cursor !== undefined) {
    const [after = 0] = readCursor(cursor, 1)
    conditions.push(
      isOldestFirst ? sql`${source.place} > ${after}` : sql`${source.place} < ${after}`,
    )
  }
  const order = isOldestFirst ? sql`asc` : sql`desc`
  const group = source.isRepeated ? sql`group by ${source.place}` : sql``
  return sql`select ${source.place} as n from ${source.from} where ${allOf(conditions)} ${group} order by ${source.place} ${order} limit ${sql.lit(limit)}`
}

interface Source {
  readonly from: RawBuilder<unknown>
  readonly place: RawBuilder<unknown>
  readonly conditions: readonly Condition[]
  readonly answered: Answered
  /** Whether an exchange can come several times. */
  readonly isRepeated: boolean
}

/** `cross join`: SQLite then walks over the left table and looks up the right one. */
function toSource(query: ExchangeQuery, terms: Engine['terms']): Source {
  const { text, tool } = query
  if (text !== undefined)
    return {
      from: sql`${terms.found(askedWords(text))} as f cross join exchanges as e`,
      place: sql.ref('f.n'),
      conditions: [sql`${e('n')} = f.n`],
      answered: { text: true },
      isRepeated: false,
    }
  if (asksForVerdict(query) && hasExactVerdict(query))
    return {
      from: sql`verdicts as v cross join exchanges as e`,
      place: sql.ref('v.n'),
      conditions: [sql`${e('n')} = v.n`, ...verdictConditions(query, terms)],
      answered: { verdict: true },
      isRepeated: true,
    }
  if (tool !== undefined && toPattern(tool) === undefined)
    return {
      from: sql`tools as t cross join exchanges as e`,
      place: sql.ref('t.n'),
      conditions: [sql`${e('n')} = t.n`, sql`t.name = ${cut(tool)}`],
      answered: { tool: true },
      isRepeated: false,
    }
  return {
    from: sql`exchanges as e`,
    place: sql.ref('e.n'),
    conditions: [],
    answered: {},
    isRepeated: false,
  }
}

/** Then an index has them in order. */
const hasExactVerdict = ({ verdict, policy }: ExchangeQuery): boolean =>
  (verdict !== undefined && toPattern(verdict) === undefined) ||
  (policy !== undefined && toPattern(policy) === undefined)

async function readRows(
  db: RecordsDb,
  places: readonly number[],
): Promise<ReadonlyMap<number, ExchangeSummary>> {
  if (places.length === 0) return new Map()
  const rows = await db.selectFrom('exchanges').selectAll().where('n', 'in', places).execute()
  const counted = await countVerdicts(db, places)
  return new Map(rows.map((row) => [row.n, toSummary(row, counted.get(row.n))]))
}

async function countVerdicts(
  db: RecordsDb,
  places: readonly number[],
): Promise<ReadonlyMap<number, Counted>> {
  const rows = await db
    .selectFrom('verdicts')
    .select(({ fn }) => ['n', 'type', 'is_shadow', fn.countAll<number>().as('count')])
    .where('n', 'in', places)
    .groupBy(['n', 'type', 'is_shadow'])
    .execute()
  const counted = new Map<
    number,
    { verdicts: Record<string, number>; shadowVerdicts: Record<string, number> }
  >()
  for (const { n, type, is_shadow: isShadow, count } of rows) {
    const one = counted.get(n) ?? { verdicts: {}, shadowVerdicts: {} }
    counted.set(n, one)
    one[isShadow === 1 ? 'shadowVerdicts' : 'verdicts'][type] = count
  }
  return counted
}

/** By the id of the record, or by a request id: then the newest. */
export async function findExchange(
  { db }: Engine,
  id: string,
): Promise<ExchangeRecord | undefined> {
  const base = db
    .selectFrom('exchanges')
    .innerJoin('details', 'details.n', 'exchanges.n')
    .selectAll('exchanges')
    .select('details.rest')
  const row =
    (await base.where('exchanges.id', '=', cut(id)).executeTakeFirst()) ??
    (await base
      .where('exchanges.request_id', '=', cut(id))
      .orderBy('exchanges.n', 'desc')
      .limit(1)
      .executeTakeFirst())
  if (row === undefined) return undefined
  return { ...toWholeRow(row, row.rest), bodies: await bodySizes(db, row.id) }
}

async function bodySizes(db: RecordsDb, id: string): Promise<Record<string, number>> {
  const rows = await db
    .selectFrom('bodies')
    .select(({ fn }) => ['kind', fn.sum<number>('raw_size').as('size')])
    .where('exchange_id', '=', id)
    .groupBy('kind')
    .execute()
  return Object.fromEntries(rows.map(({ kind, size }) => [BODY_KINDS[kind] ?? '', Number(size)]))
}
