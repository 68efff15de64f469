/**
 * Pages of verdicts, and the walk over their chain. Neighbours: `chain.ts` has what a link is, `conditions.ts` what is
 * asked. They come in the order of their exchanges, and within one in that of their places.
 */
import { sql } from 'kysely'
import { contentFault, linkHash, NO_HEAD, type ChainHead } from './chain.ts'
import {
  allOf,
  asksForExchange,
  e,
  exchangeConditions,
  nameCondition,
  placeConditions,
  v,
  verdictConditions,
  type Condition,
} from './conditions.ts'
import type { Engine } from './engine.ts'
import { cut } from './fit.ts'
import { toStoredVerdict } from './from-rows.ts'
import { ANCHOR, readMeta } from './meta.ts'
import { readCursor, toLimit, toPage } from './page.ts'
import type { Page, PageQuery, VerdictQuery } from './query.ts'
import type { StoredVerdict } from './record.ts'
import type { ChainReport, PieceCodec } from './store.ts'
import type { RecordsDb, VerdictsTable } from './tables.ts'

export async function listVerdicts(
  engine: Engine,
  codec: PieceCodec,
  query: VerdictQuery & PageQuery,
): Promise<Page<StoredVerdict>> {
  const limit = toLimit(query)
  const { from, conditions } = verdictSource(engine, query)
  const { cursor, isOldestFirst = false } = query
  if (cursor !== undefined) {
    const [n = 0, at = 0] = readCursor(cursor, 2)
    const than = isOldestFirst ? sql`>` : sql`<`
    conditions.push(sql`(${v('n')}, ${v('at')}) ${than} (${n}, ${at})`)
  }
  const order = isOldestFirst ? sql`asc` : sql`desc`
  const { rows } =
    await sql<VerdictsTable>`select v.* from ${from} where ${allOf(conditions)} order by ${v('n')} ${order}, ${v('at')} ${order} limit ${sql.lit(limit + 1)}`.execute(
      engine.db,
    )
  return toPage(rows, limit, {
    item: (row) => toStoredVerdict(row, codec),
    cursor: ({ n, at }) => `${n}.${at}`,
  })
}

/** Verdicts that fit. `tool` is here the one that was judged. */
export function verdictSource(engine: Engine, query: VerdictQuery) {
  const { terms } = engine
  const conditions: Condition[] = [
    ...verdictConditions(query, terms),
    ...placeConditions(query, v('n')),
  ]
  if (query.tool !== undefined) conditions.push(nameCondition(v('tool'), query.tool, terms))
  if (query.exchangeId !== undefined)
    conditions.push(sql`${v('exchange_id')} = ${cut(query.exchangeId)}`)
  const isJoined = asksForExchange(query)
  if (isJoined)
    conditions.push(
      sql`${e('n')} = ${v('n')}`,
      ...exchangeConditions(query, terms, { tool: true, verdict: true }),
    )
  const from = isJoined ? sql`verdicts as v cross join exchanges as e` : sql`verdicts as v`
  return { from, conditions }
}

const WALK = 500

/** Walks over the chain from its first link that is left. */
export async function verifyChain(engine: Engine, codec: PieceCodec): Promise<ChainReport> {
  for (;;) {
    const anchor = await readAnchor(engine.db)
    const report = await walk(engine.db, anchor, codec)
    if (report.broken === undefined) return report
    // Retention may have cut links off that were just to be walked over: then it is tried from where they begin now.
    const { seq } = await readAnchor(engine.db)
    if (seq === anchor.seq) return report
  }
}

async function walk(db: RecordsDb, anchor: ChainHead, codec: PieceCodec): Promise<ChainReport> {
  let head = anchor
  let links = 0
  for (;;) {
    const rows = await db
      .selectFrom('verdicts')
      .selectAll()
      .where('seq', '>', head.seq)
      .orderBy('seq')
      .limit(WALK)
      .execute()
    for (const row of rows) {
      const why = linkFault(head, row, codec)
      if (why !== undefined) return { links, broken: { seq: row.seq, why }, head: head.hash }
      head = row
      links++
    }
    if (rows.length < WALK) break
  }
  return { links, broken: await strayLink(db, anchor), head: head.hash }
}

function linkFault(head: ChainHead, row: VerdictsTable, codec: PieceCodec): string | undefined {
  if (row.seq !== head.seq + 1) return `${row.seq - head.seq - 1} before it are missing`
  if (row.previous !== head.hash) return 'it does not follow the one before it'
  if (row.hash !== linkHash(row)) return 'it was changed'
  return contentFault(row, codec)
}

/** Links that stand before the place where the chain is said to begin. */
async function strayLink(db: RecordsDb, { seq }: ChainHead): Promise<ChainReport['broken']> {
  const row = await db
    .selectFrom('verdicts')
    .select('seq')
    .where('seq', '<=', seq)
    .orderBy('seq')
    .limit(1)
    .executeTakeFirst()
  return row && { seq: row.seq, why: 'it stands before the beginning of the chain' }
}

/** The last link that was cut off. */
async function readAnchor(db: RecordsDb): Promise<ChainHead> {
  const kept = await readMeta(db, ANCHOR)
  return kept === undefined ? NO_HEAD : (JSON.parse(kept) as ChainHead)
}
