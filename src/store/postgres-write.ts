/**
 * A batch → one transaction on Postgres, many rows in each statement. Neighbours: `postgres.ts` calls it, `to-rows.ts`
 * made the rows, `chain.ts` the links. Only who writes verdicts waits for others: the chain has one end.
 */
import { CompiledQuery, sql } from 'kysely'
import { joinOn, NO_HEAD, type ChainHead } from './chain.ts'
import { toInsert, toValues, type HotTable } from './inserts.ts'
import { ANCHOR, readMeta } from './meta.ts'
import { toPlace, type RecordsDb, type Tables, type VerdictsTable } from './tables.ts'
import type { Batch, ExchangeEntry } from './to-rows.ts'

export function createBatchWriter(db: RecordsDb): (batch: Batch) => Promise<void> {
  const insert = createInserts(db)
  return (batch) => db.transaction().execute((writing) => writeAll(writing, batch, insert))
}

/** Gives back the ids of exchanges that were not there; of other tables nothing. */
type Insert = <Table extends HotTable>(
  db: RecordsDb,
  table: Table,
  rows: readonly Tables[Table][],
) => Promise<readonly string[]>

/** In one statement. Each number of rows is a text of its own, made once: that costs more than the rest of it. */
const MAX_ROWS = 64

function createInserts(db: RecordsDb): Insert {
  const texts = new Map<string, string>()
  const textOf = (table: HotTable, size: number): string => {
    const key = `${table} ${size}`
    const known = texts.get(key)
    if (known !== undefined) return known
    const text = toInsert(db, table, size) + (table === 'exchanges' ? ' returning id' : '')
    texts.set(key, text)
    return text
  }
  return async (writing, table, rows) => {
    const ids: string[] = []
    for (let from = 0; from < rows.length; from += MAX_ROWS) {
      const step = rows.slice(from, from + MAX_ROWS)
      const values = step.flatMap((row) => toValues(table, row))
      const query = CompiledQuery.raw(textOf(table, step.length), values)
      const written = await writing.executeQuery(query)
      for (const row of written.rows as readonly { readonly id: string }[]) ids.push(row.id)
    }
    return ids
  }
}

async function writeAll(db: RecordsDb, batch: Batch, insert: Insert): Promise<void> {
  await insert(db, 'bodies', batch.bodies)
  await insert(
    db,
    'loose',
    batch.loose.map((id) => ({ exchange_id: id, written_at: batch.now })),
  )
  if (batch.exchanges.length > 0) await writeExchanges(db, batch.exchanges, insert)
  if (batch.verdicts.length > 0) await writeVerdicts(db, batch, insert)
}

async function writeExchanges(
  db: RecordsDb,
  entries: readonly ExchangeEntry[],
  insert: Insert,
): Promise<void> {
  // Also of those that are there already: their pieces may just have been written a second time.
  for (const { row, without } of entries)
    if (without.length > 0)
      await db
        .deleteFrom('bodies')
        .where('exchange_id', '=', row.id)
        .where('kind', 'in', without)
        .execute()
  const ids = entries.map(({ row }) => row.id)
  const loose = await db
    .deleteFrom('loose')
    .where('exchange_id', 'in', ids)
    .returning('exchange_id')
    .execute()
  const placed = await takePlaces(db, entries, insert)
  await insert(
    db,
    'details',
    placed.map(({ n, entry }) => ({ n, rest: entry.rest })),
  )
  await insert(
    db,
    'tools',
    placed.flatMap(({ n, entry }) => entry.tools.map((tool) => ({ ...tool, n }))),
  )
  await writeWords(db, placed)
  if (loose.length > 0)
    await countBytes(
      db,
      loose.map((row) => row.exchange_id),
    )
}

interface Placed {
  readonly n: number
  readonly entry: ExchangeEntry
}

/** Those that were not there yet, with their places. */
async function takePlaces(
  db: RecordsDb,
  entries: readonly ExchangeEntry[],
  insert: Insert,
): Promise<readonly Placed[]> {
  const placed: Placed[] = []
  // One that stands in the batch twice is written once.
  let waiting = new Map(entries.map((entry) => [entry.row.id, { n: entry.row.n, entry }]))
  while (waiting.size > 0) {
    const rows = [...waiting.values()].map(({ n, entry }) => ({ ...entry.row, n }))
    const written = new Set(await insert(db, 'exchanges', rows))
    const rest = [...waiting.values()].filter(({ entry }) => !written.has(entry.row.id))
    for (const one of waiting.values()) if (written.has(one.entry.row.id)) placed.push(one)
    if (rest.length === 0) break
    const known = await placesOf(
      db,
      rest.map(({ entry }) => entry.row.id),
    )
    // Others of the same millisecond have their places.
    waiting = new Map(
      rest
        .filter(({ entry }) => !known.has(entry.row.id))
        .map(({ n, entry }) => [entry.row.id, { n: n + 1, entry }]),
    )
  }
  return placed
}

async function placesOf(
  db: RecordsDb,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await db.selectFrom('exchanges').select(['id', 'n']).where('id', 'in', ids).execute()
  return new Map(rows.map(({ id, n }) => [id, n]))
}

async function writeWords(db: RecordsDb, placed: readonly Placed[]): Promise<void> {
  const filled = placed.filter(({ entry }) => entry.words !== '')
  if (filled.length === 0) return
  const ns = filled.map(({ n }) => n)
  const words = filled.map(({ entry }) => entry.words)
  await sql`insert into texts (n, words) select t.n, array_to_tsvector(string_to_array(t.words, ' ')) from unnest(${ns}::bigint[], ${words}::text[]) as t(n, words) on conflict do nothing`.execute(
    db,
  )
}

const countBytes = (db: RecordsDb, ids: readonly string[]): Promise<unknown> =>
  sql`update exchanges as e set stored_bytes = (select coalesce(sum(length(b.bytes)), 0) from bodies as b where b.exchange_id = e.id) where e.id in (${sql.join(ids)})`.execute(
    db,
  )

/** Any number, as long as nothing else of this database locks by it. */
const CHAIN_LOCK = 7_714_203

async function writeVerdicts(db: RecordsDb, batch: Batch, insert: Insert): Promise<void> {
  // Where the way to this gateway is lost with the lock in its hand, the server takes it back after this time, and not
  // when it notices hours later; both in one question, because each costs a way there and back.
  await sql`select set_config('idle_in_transaction_session_timeout', '20000', true), pg_advisory_xact_lock(${sql.lit(CHAIN_LOCK)})`.execute(
    db,
  )
  const ids = [...new Set(batch.verdicts.map((one) => one.exchange_id))]
  const known = await db
    .selectFrom('verdicts')
    .select(['exchange_id', 'at'])
    .where('exchange_id', 'in', ids)
    .execute()
  const seen = new Set(known.map((one) => `${one.at} ${one.exchange_id}`))
  const places = await placesOf(db, ids)
  const links: VerdictsTable[] = []
  let head = await readHead(db)
  for (const pending of batch.verdicts) {
    const { exchange_id: id, at } = pending
    if (seen.has(`${at} ${id}`)) continue
    seen.add(`${at} ${id}`)
    const place = places.get(id)
    // Of an exchange that was deleted meanwhile: the link stays, what it quotes does not come back.
    const link =
      place === undefined
        ? joinOn(head, { ...pending, content: null }, toPlace(pending.decided_at, id))
        : joinOn(head, pending, place)
    links.push(link)
    head = link
  }
  await insert(db, 'verdicts', links)
}

async function readHead(db: RecordsDb): Promise<ChainHead> {
  const last = await db
    .selectFrom('verdicts')
    .select(['seq', 'hash'])
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (last !== undefined) return last
  const anchor = await readMeta(db, ANCHOR)
  return anchor === undefined ? NO_HEAD : (JSON.parse(anchor) as ChainHead)
}
