/**
 * Brings the tables to the version of this program. Neighbours: `migrations/` has the steps, `open-store.ts` calls it
 * before anything else. All steps are one transaction, and several processes that open at once take turns.
 */
import { sql } from 'kysely'
import { SluiceError } from '../base/sluice-error.ts'
import type { Engine } from './engine.ts'
import { readMeta, VERSION, writeMeta } from './meta.ts'
import { MIGRATIONS } from './migrations/all.ts'
import type { Migration } from './migrations/migration.ts'
import type { RecordsDb } from './tables.ts'

const NEWEST = MIGRATIONS.at(-1)?.version ?? 0

export async function migrate(
  engine: Engine,
  steps: readonly Migration[] = MIGRATIONS,
): Promise<void> {
  if ((await readVersion(engine)) === steps.at(-1)?.version) return
  await engine.transact(async (db) => {
    // Only one makes the first table: Postgres does not see a table that another makes at this moment.
    if (engine.name === 'postgres') await sql`select pg_advisory_xact_lock(${LOCK})`.execute(db)
    await sql`create table if not exists meta (name text not null primary key, value text not null)`.execute(
      db,
    )
    const version = await readKept(db)
    refuseNewer(version, steps.at(-1)?.version ?? 0)
    for (const step of steps.filter((one) => one.version > version))
      for (const text of step[engine.name]) await sql.raw(text).execute(db)
    await writeMeta(db, VERSION, String(steps.at(-1)?.version ?? 0))
  })
}

/** Any number, as long as nothing else of this database locks by it. */
const LOCK = 7_714_201

/** For those who only read: they cannot bring anything up to date. */
export async function checkVersion(engine: Engine): Promise<void> {
  const version = await readVersion(engine)
  refuseNewer(version ?? 0, NEWEST)
  if (version === NEWEST) return
  throw new SluiceError(
    'wrong-use',
    version === undefined
      ? 'Cannot read the records: there are none at this place'
      : `Cannot read the records: they are of version ${version}, this program reads version ${NEWEST}; start the gateway once, and it brings them up to date`,
  )
}

function refuseNewer(version: number, newest: number): void {
  if (version <= newest) return
  throw new SluiceError(
    'wrong-use',
    `Cannot open the records: they are of version ${version}, this program knows versions up to ${newest}; use the newer program that wrote them, or name another place in "store"`,
  )
}

/** `undefined` where there are no tables yet. */
async function readVersion({ db, name }: Engine): Promise<number | undefined> {
  const exists =
    name === 'sqlite'
      ? sql<{ yes: number }>`select 1 as yes from sqlite_master where name = 'meta'`
      : sql<{ yes: number }>`select 1 as yes where to_regclass('meta') is not null`
  const { rows } = await exists.execute(db)
  return rows.length === 0 ? undefined : readKept(db)
}

const readKept = async (db: RecordsDb): Promise<number> =>
  Number((await readMeta(db, VERSION)) ?? 0)
