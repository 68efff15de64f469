/**
 * Pages of conversations, the one that went on last first. Neighbours: `conditions.ts` says what is asked.
 *
 * Each is found at its last exchange that fits: one with none of its own behind it. So a page stops when it is full,
 * whatever lies before. With words, which are looked up all at once, the last of each is taken out of what was found;
 * and its figures are then of the whole conversation.
 */
import { sql } from 'kysely'
import { allOf, e, exchangeConditions, type Condition } from './conditions.ts'
import type { Engine } from './engine.ts'
import { placesQuery } from './exchanges.ts'
import { readCursor, toLimit, toPage } from './page.ts'
import type { ConversationSummary, ExchangeQuery, Page, PageQuery } from './query.ts'

export async function listConversations(
  engine: Engine,
  query: ExchangeQuery & PageQuery,
): Promise<Page<ConversationSummary>> {
  const limit = toLimit(query)
  const found = await findLast(engine, query, limit + 1)
  const page = toPage(found, limit, { item: (row) => row, cursor: ({ n }) => String(n) })
  const ids = page.items.map(({ conversation }) => conversation)
  if (ids.length === 0) return { items: [], next: undefined }
  const within = toWithin(engine, query, ids)
  const sums = await readSums(engine, within)
  const names = await readNames(engine, within)
  const toolCalls = await readToolCalls(engine, within)
  const verdicts = await readVerdicts(engine, within)
  const items = ids.flatMap((id) => {
    const sum = sums.get(id)
    if (sum === undefined) return []
    const { clients, models, keys } = names.get(id) ?? { clients: [], models: [], keys: [] }
    const counts = { toolCalls: toolCalls.get(id) ?? 0, verdicts: verdicts.get(id) ?? {} }
    return { id, ...sum, ...counts, clients, models, keys }
  })
  return { items, next: page.next }
}

interface Last {
  readonly n: number
  readonly conversation: string
}

async function findLast(
  engine: Engine,
  query: ExchangeQuery & PageQuery,
  limit: number,
): Promise<readonly Last[]> {
  if (query.text !== undefined) return findLastByWords(engine, query, limit)
  const { db, terms } = engine
  const { cursor, isOldestFirst = false } = query
  const fitting = exchangeConditions(query, terms)
  const conditions: Condition[] = [sql`${e('conversation')} is not null`, ...fitting]
  if (cursor !== undefined) {
    const [after = 0] = readCursor(cursor, 1)
    conditions.push(isOldestFirst ? sql`${e('n')} > ${after}` : sql`${e('n')} < ${after}`)
  }
  // The same conditions hold inside: there `e` is the later one.
  const later = sql`select 1 from exchanges as e where ${e('conversation')} = o.conversation and ${e('n')} > o.n and ${allOf(fitting)}`
  const candidates = sql`select ${e('n')}, ${e('conversation')} from exchanges as e where ${allOf(conditions)}`
  const order = isOldestFirst ? sql`asc` : sql`desc`
  const { rows } =
    await sql<Last>`select o.n, o.conversation from (${candidates}) as o where not exists (${later}) order by o.n ${order} limit ${sql.lit(limit)}`.execute(
      db,
    )
  return rows
}

/** Among so many of the newest that were found, then among all: the newest conversations are in the newest places. */
const REACHES = [4_000, 32_000]

async function findLastByWords(
  engine: Engine,
  query: ExchangeQuery & PageQuery,
  limit: number,
): Promise<readonly Last[]> {
  const reaches = query.isOldestFirst === true ? [] : REACHES
  for (const reach of reaches) {
    const found = await findLastAmong(engine, query, { limit, reach })
    if (found.length === limit) return found
  }
  return findLastAmong(engine, query, { limit, reach: Number.MAX_SAFE_INTEGER })
}

async function findLastAmong(
  engine: Engine,
  query: ExchangeQuery & PageQuery,
  { limit, reach }: { readonly limit: number; readonly reach: number },
): Promise<readonly Last[]> {
  const { cursor, isOldestFirst = false } = query
  const places = placesQuery(engine, query, { limit: reach })
  const [after] = cursor === undefined ? [] : readCursor(cursor, 1)
  const than = isOldestFirst ? sql`>` : sql`<`
  const isNext = after === undefined ? sql`` : sql`having max(e.n) ${than} ${after}`
  const order = isOldestFirst ? sql`asc` : sql`desc`
  const { rows } =
    await sql<Last>`select max(e.n) as n, e.conversation from (${places}) as p cross join exchanges as e where e.n = p.n and e.conversation is not null group by e.conversation ${isNext} order by 1 ${order} limit ${sql.lit(limit)}`.execute(
      engine.db,
    )
  return rows
}

/** What fits of these conversations. */
function toWithin({ terms }: Engine, query: ExchangeQuery, ids: readonly string[]): Condition {
  const { conversation: _, text: _text, ...rest } = query
  return allOf([
    sql`${e('conversation')} in (${sql.join(ids)})`,
    ...exchangeConditions(rest, terms),
  ])
}

type Sums = Pick<
  ConversationSummary,
  'startedAt' | 'lastAt' | 'firstId' | 'exchanges' | 'inputTokens' | 'outputTokens' | 'cost'
>

async function readSums({ db }: Engine, within: Condition): Promise<ReadonlyMap<string, Sums>> {
  const { rows } = await sql<
    Sums & { id: string }
  >`select ${e('conversation')} as id, min(${e('started_at')}) as "startedAt", max(${e('started_at')}) as "lastAt", min(${e('id')}) as "firstId", count(*) as exchanges, coalesce(sum(${e('input_tokens')}), 0) as "inputTokens", coalesce(sum(${e('output_tokens')}), 0) as "outputTokens", coalesce(sum(${e('cost')}), 0) as cost from exchanges as e where ${within} group by ${e('conversation')}`.execute(
    db,
  )
  return new Map(rows.map(({ id, ...sums }) => [id, sums]))
}

type Names = Pick<ConversationSummary, 'clients' | 'models' | 'keys'>

/** A client may choose as many models as it likes; so many are shown. */
const MAX_NAMES = 5_000

async function readNames({ db }: Engine, within: Condition): Promise<ReadonlyMap<string, Names>> {
  const { rows } = await sql<{
    id: string
    client: string | null
    model: string | null
    key_name: string | null
  }>`select distinct ${e('conversation')} as id, ${e('client')}, ${e('model')}, ${e('key_name')} from exchanges as e where ${within} order by 1, 2, 3, 4 limit ${sql.lit(MAX_NAMES)}`.execute(
    db,
  )
  const sets = new Map<string, { clients: Set<string>; models: Set<string>; keys: Set<string> }>()
  for (const row of rows) {
    const one = sets.get(row.id) ?? { clients: new Set(), models: new Set(), keys: new Set() }
    sets.set(row.id, one)
    if (row.client !== null) one.clients.add(row.client)
    if (row.model !== null) one.models.add(row.model)
    if (row.key_name !== null) one.keys.add(row.key_name)
  }
  return new Map(
    [...sets].map(([id, { clients, models, keys }]) => [
      id,
      { clients: [...clients], models: [...models], keys: [...keys] },
    ]),
  )
}

async function readToolCalls(
  { db }: Engine,
  within: Condition,
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{
    id: string
    count: number
  }>`select ${e('conversation')} as id, sum(t.count) as count from exchanges as e cross join tools as t where t.n = ${e('n')} and ${within} group by ${e('conversation')}`.execute(
    db,
  )
  return new Map(rows.map(({ id, count }) => [id, count]))
}

async function readVerdicts(
  { db }: Engine,
  within: Condition,
): Promise<ReadonlyMap<string, Record<string, number>>> {
  const { rows } = await sql<{
    id: string
    type: string
    count: number
  }>`select ${e('conversation')} as id, c.type, count(*) as count from exchanges as e cross join verdicts as c where c.n = ${e('n')} and c.is_shadow = 0 and ${within} group by ${e('conversation')}, c.type`.execute(
    db,
  )
  const counts = new Map<string, Record<string, number>>()
  for (const { id, type, count } of rows) counts.set(id, { ...counts.get(id), [type]: count })
  return counts
}
