/**
 * Takes exchanges away: what is too old, what is too much, what somebody asked to delete, and what crashes have left
 * behind. Neighbours: `engine.ts`, `verdicts.ts`. In small transactions with a turn for others between them.
 *
 * Verdicts are links of a chain. Where somebody deletes, they keep their place and lose what they quote. Where time takes
 * exchanges away, the chain is cut from its beginning, and the hash of the last link that went is kept.
 */
import { setImmediate as turn } from 'node:timers/promises'
import type { Engine } from './engine.ts'
import { cut } from './fit.ts'
import { ANCHOR, writeMeta } from './meta.ts'
import type { RecordStore } from './store.ts'
import { placeOf, type RecordsDb } from './tables.ts'

const STEP = 100
const DAY = 86_400_000

export async function removeExchanges(
  engine: Engine,
  which: Parameters<RecordStore['remove']>[0],
): Promise<number> {
  let gone = 0
  let after = -1
  for (;;) {
    const step = await engine.transact(async (db) => {
      const rows = await chosen(db, which, after)
      await deleteAll(engine, db, rows)
      await emptyVerdicts(db, rows)
      return rows
    })
    gone += step.length
    after = step.at(-1)?.n ?? after
    if (step.length < STEP) break
    await turn()
  }
  if (gone > 0) await engine.shrink({ isErased: true })
  return gone
}

interface Gone {
  readonly n: number
  readonly id: string
}

function chosen(
  db: RecordsDb,
  which: Parameters<RecordStore['remove']>[0],
  after: number,
): Promise<readonly Gone[]> {
  const next = db
    .selectFrom('exchanges')
    .select(['n', 'id'])
    .where('n', '>', after)
    .orderBy('n')
    .limit(STEP)
  if ('id' in which) return next.where('id', '=', cut(which.id)).execute()
  if ('key' in which) return next.where('key_name', '=', cut(which.key)).execute()
  return next.where('n', '<', placeOf(Math.ceil(which.before))).execute()
}

export async function enforceLimits(
  engine: Engine,
  { maxAgeMs, maxBytes }: Parameters<RecordStore['enforce']>[0],
  now: () => number,
): Promise<number> {
  const gone = await engine.alone('retention', async () => {
    await dropLoose(engine, now() - DAY)
    const old = maxAgeMs === undefined ? 0 : await cutOld(engine, placeOf(now() - maxAgeMs))
    const large = maxBytes === undefined ? 0 : await cutLarge(engine, maxBytes)
    if (old > 0) await engine.shrink()
    return old + large
  })
  return gone ?? 0
}

async function cutOld(engine: Engine, before: number): Promise<number> {
  let count = 0
  for (;;) {
    const step = await cutStep(engine, before)
    count += step.count
    if (step.count < STEP) return count
    await turn()
  }
}

async function cutLarge(engine: Engine, maxBytes: number): Promise<number> {
  let count = 0
  for (;;) {
    let excess = (await engine.usedBytes()) - maxBytes
    if (excess <= 0) return count
    let isMore = true
    while (isMore && excess > 0) {
      const step = await cutStep(engine, Number.MAX_SAFE_INTEGER, maxBytes)
      count += step.count
      excess -= step.bytes
      isMore = step.count > 0
      await turn()
    }
    // What is gone is counted as used until then.
    if (isMore || count > 0) await engine.shrink()
    if (!isMore) return count
  }
}

/** What a row takes beside its pieces, counted high: then it is looked again before too much is gone. */
const ROW_BYTES = 4_096

/**
 * Takes the oldest away that lie before this place, a few. None where all fits into `maxBytes` by now: other processes with
 * the same file do the same, and what they have taken away is not to be taken again from what is left.
 */
async function cutStep(
  engine: Engine,
  before: number,
  maxBytes?: number,
): Promise<{ readonly count: number; readonly bytes: number }> {
  return engine.transact(async (db) => {
    // On Postgres one is alone with it, and to count takes long.
    if (engine.name === 'sqlite' && maxBytes !== undefined)
      if ((await engine.usedBytes(db)) <= maxBytes) return { count: 0, bytes: 0 }
    const rows = await db
      .selectFrom('exchanges')
      .select(['n', 'id', 'stored_bytes'])
      .where('n', '<', before)
      .orderBy('n')
      .limit(STEP)
      .execute()
    const last = rows.at(-1)
    await deleteAll(engine, db, rows)
    await emptyVerdicts(db, rows)
    // Also without any: those of exchanges that somebody deleted grow old, too.
    await cutChain(db, last?.n ?? (before === Number.MAX_SAFE_INTEGER ? 0 : before - 1))
    const bytes = rows.reduce((sum, row) => sum + row.stored_bytes + ROW_BYTES, 0)
    return { count: rows.length, bytes }
  })
}

async function deleteAll(engine: Engine, db: RecordsDb, rows: readonly Gone[]): Promise<void> {
  if (rows.length === 0) return
  const places = rows.map(({ n }) => n)
  const ids = rows.map(({ id }) => id)
  await db.deleteFrom('bodies').where('exchange_id', 'in', ids).execute()
  await db.deleteFrom('tools').where('n', 'in', places).execute()
  await db.deleteFrom('details').where('n', 'in', places).execute()
  await engine.dropWords(db, places)
  await db.deleteFrom('exchanges').where('n', 'in', places).execute()
}

async function emptyVerdicts(db: RecordsDb, rows: readonly Gone[]): Promise<void> {
  if (rows.length === 0) return
  const ids = rows.map(({ id }) => id)
  await db.updateTable('verdicts').set({ content: null }).where('exchange_id', 'in', ids).execute()
}

/** Cuts links off the beginning as long as they belong to nothing after this place. */
async function cutChain(db: RecordsDb, place: number): Promise<void> {
  for (;;) {
    const links = await db
      .selectFrom('verdicts')
      .select(['seq', 'hash', 'n'])
      .orderBy('seq')
      .limit(STEP)
      .execute()
    const kept = links.findIndex(({ n }) => n > place)
    const last = links[(kept === -1 ? links.length : kept) - 1]
    if (last === undefined) return
    await db.deleteFrom('verdicts').where('seq', '<=', last.seq).execute()
    await writeMeta(db, ANCHOR, JSON.stringify({ seq: last.seq, hash: last.hash }))
    if (kept !== -1 || links.length < STEP) return
  }
}

/** Pieces whose row never came. */
async function dropLoose(engine: Engine, before: number): Promise<void> {
  for (;;) {
    const step = await engine.transact(async (db) => {
      const rows = await db
        .selectFrom('loose')
        .select('exchange_id')
        .where('written_at', '<', before)
        .orderBy('written_at')
        .limit(STEP)
        .execute()
      const ids = rows.map((row) => row.exchange_id)
      if (ids.length === 0) return 0
      await db.deleteFrom('bodies').where('exchange_id', 'in', ids).execute()
      await db.deleteFrom('loose').where('exchange_id', 'in', ids).execute()
      return ids.length
    })
    if (step < STEP) return
    await turn()
  }
}
