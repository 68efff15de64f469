/**
 * Words of exchanges that are put into the index after their rows. Neighbours: `records/` takes them out of bodies when
 * there is nothing else to do, `words.ts` cuts them.
 */
import type { WireName } from '../event/event.ts'
import type { Engine } from './engine.ts'
import { cut } from './fit.ts'
import { toSummary } from './from-rows.ts'
import type { TextDue, TextDueQuery } from './store.ts'
import { placeOf } from './tables.ts'
import { toWords } from './words.ts'

export async function readTextDue(
  { db }: Engine,
  { gateway, before, limit }: TextDueQuery,
): Promise<readonly TextDue[]> {
  let query = db
    .selectFrom('exchanges')
    .selectAll()
    .where('is_text_due', '=', 1)
    .orderBy('n', 'desc')
    .limit(Math.max(1, Math.min(1_000, Math.floor(limit))))
  if (gateway !== undefined) query = query.where('gateway', '=', cut(gateway))
  if (before !== undefined) query = query.where('n', '<', placeOf(before))
  const rows = await query.execute()
  return rows.map((row) => {
    const { upstreamWire, isStream, record } = toSummary(row)
    return {
      id: row.id,
      wire: row.wire as WireName,
      upstreamWire,
      isStream,
      record,
      storedBytes: row.stored_bytes,
    }
  })
}

export async function writeTexts(
  engine: Engine,
  texts: readonly { readonly id: string; readonly text: string }[],
): Promise<void> {
  if (texts.length === 0) return
  const words = new Map(texts.map(({ id, text }) => [cut(id), toWords(text)]))
  await engine.transact(async (db) => {
    const rows = await db
      .selectFrom('exchanges')
      .select(['n', 'id'])
      .where('id', 'in', [...words.keys()])
      .execute()
    if (rows.length === 0) return
    await engine.putWords(
      db,
      rows.map(({ n, id }) => ({ n, words: words.get(id) ?? [] })),
    )
    const places = rows.map(({ n }) => n)
    await db.updateTable('exchanges').set({ is_text_due: 0 }).where('n', 'in', places).execute()
  })
}
