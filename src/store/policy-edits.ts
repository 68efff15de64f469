/**
 * What was written in the place of configured policies while gateways ran. Every word is a row of its own and none is ever
 * changed: the newest of a policy and a base holds. Neighbours: gateways look at the mark each second, and at the edits
 * when it has changed; the API shows who wrote what.
 */
import { sql } from 'kysely'
import type { Engine } from './engine.ts'
import { cut, cutOrNull, toWhole } from './fit.ts'
import type { NewPolicyEdit, PolicyEdit } from './store.ts'
import type { RecordsDb } from './tables.ts'

/** Of one policy, and in all: the oldest that do not hold go. */
const MAX_OF_ONE = 100
const MAX_ROWS = 5_000
/** No text that is checked is longer. */
const MAX_YAML = 300_000
const MAX_NOTE = 2_000

/** Both, because what is written may push out something else, and what is gone counts too. */
export async function readPolicyEditMark({ db }: Engine): Promise<string> {
  const { rows } = await sql<{
    count: number
    last: number | null
  }>`select count(*) as count, max(seq) as last from policy_edits`.execute(db)
  return `${rows[0]?.count ?? 0}.${rows[0]?.last ?? 0}`
}

export async function readPolicyEdits(
  { db }: Engine,
  policy: string | undefined,
): Promise<readonly PolicyEdit[]> {
  const all = db.selectFrom('policy_edits').selectAll().orderBy('seq', 'desc')
  const rows = await (
    policy === undefined
      ? all.where('seq', 'in', lastWords(db))
      : all.where('policy', '=', cut(policy))
  )
    .limit(MAX_ROWS)
    .execute()
  return rows.map((row) => ({
    seq: row.seq,
    policy: row.policy,
    version: row.version,
    base: row.base,
    yaml: row.yaml ?? undefined,
    mode: row.mode === 'acts' ? 'acts' : 'shadow',
    by: row.set_by ?? undefined,
    at: row.set_at,
    note: row.note ?? undefined,
  }))
}

export async function writePolicyEdit(
  engine: Engine,
  edit: NewPolicyEdit,
  after?: number,
): Promise<PolicyEdit | undefined> {
  const { policy, version, base, yaml, mode, by, at, note } = edit
  const row = await engine.transact(async (db) => {
    await lock(engine, db)
    if (after !== undefined && after !== (await readLast(db, edit))) return undefined
    const written = await db
      .insertInto('policy_edits')
      .values({
        policy: cut(policy),
        version: cut(version),
        base: cut(base),
        yaml: yaml === undefined ? null : cut(yaml, MAX_YAML),
        mode,
        set_by: cutOrNull(by),
        set_at: toWhole(at),
        note: note === undefined ? null : cut(note, MAX_NOTE),
      })
      .returning('seq')
      .executeTakeFirstOrThrow()
    await forget(db, policy)
    return written
  })
  return row && { ...edit, seq: row.seq }
}

/** One after the other: numbers come in order then, and nobody writes over what they have not seen. */
async function lock({ name }: Engine, db: RecordsDb): Promise<void> {
  if (name === 'postgres')
    await sql`lock table policy_edits in share row exclusive mode`.execute(db)
}

/** The number of the last word on a policy and a base; 0: there is none. */
async function readLast(
  db: RecordsDb,
  { policy, base }: Pick<NewPolicyEdit, 'policy' | 'base'>,
): Promise<number> {
  const row = await db
    .selectFrom('policy_edits')
    .select('seq')
    .where('policy', '=', cut(policy))
    .where('base', '=', cut(base))
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.seq ?? 0
}

/** What holds stays, however old it is: a policy that nobody touches must not lapse because others are edited. */
async function forget(db: RecordsDb, policy: string): Promise<void> {
  const edge = (of: 'one' | 'all') => {
    const newest = db.selectFrom('policy_edits').select('seq').orderBy('seq', 'desc').limit(1)
    return of === 'one'
      ? newest.where('policy', '=', cut(policy)).offset(MAX_OF_ONE)
      : newest.offset(MAX_ROWS)
  }
  const past = db
    .deleteFrom('policy_edits')
    .where(({ or, eb }) => or([eb('yaml', 'is', null), eb('seq', 'not in', lastWords(db))]))
  await past.where('policy', '=', cut(policy)).where('seq', '<=', edge('one')).execute()
  await past.where('seq', '<=', edge('all')).execute()
}

const lastWords = (db: RecordsDb) =>
  db
    .selectFrom('policy_edits')
    .select(({ fn }) => fn.max('seq').as('seq'))
    .groupBy(['policy', 'base'])
