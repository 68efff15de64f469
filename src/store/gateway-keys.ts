/**
 * Keys that were made while a gateway ran: who may come in, besides those of a config. Of a key only its hash is here.
 * Neighbours: `server/gateway-keys.ts` follows them, the API makes and revokes them. One that is revoked stays for a
 * while, so that people see what became of it, and so that a gateway which once had keys is not open without any.
 */
import { sql } from 'kysely'
import { isObject } from '../base/json.ts'
import type { Engine } from './engine.ts'
import { cut, cutOrNull, toWhole } from './fit.ts'
import type { GatewayKey, KeyLimits } from './store.ts'
import type { RecordsDb } from './tables.ts'

/** So many may come in; each is compared with every key that is shown. */
const MAX_GATEWAY_KEYS = 1000
/** Of those that are revoked the newest are kept. */
const MAX_REVOKED = 100

export async function readGatewayKeys({ db }: Engine): Promise<readonly GatewayKey[]> {
  const rows = await db
    .selectFrom('gateway_keys')
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('name')
    .limit(MAX_GATEWAY_KEYS + MAX_REVOKED)
    .execute()
  return rows.map((row) => ({
    name: row.name,
    hash: row.hash,
    limits: toLimits(row.limits),
    createdAt: row.created_at,
    createdBy: row.created_by ?? undefined,
    revokedAt: row.revoked_at ?? undefined,
    revokedBy: row.revoked_by ?? undefined,
  }))
}

/** Written by us; what a newer program has added is left out. */
function toLimits(text: string): KeyLimits {
  const read: unknown = JSON.parse(text)
  return isObject(read) ? (read as KeyLimits) : {}
}

/** `taken`: there is one of that name that is not revoked. A revoked one gives its name to the new. */
export async function writeGatewayKey(
  engine: Engine,
  key: GatewayKey,
): Promise<'added' | 'taken' | 'full'> {
  const values = {
    hash: key.hash,
    limits: JSON.stringify(key.limits),
    created_at: toWhole(key.createdAt),
    created_by: cutOrNull(key.createdBy),
    revoked_at: null,
    revoked_by: null,
  }
  return await engine.transact(async (db) => {
    await lock(engine, db)
    const { count } = await db
      .selectFrom('gateway_keys')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('revoked_at', 'is', null)
      .executeTakeFirstOrThrow()
    if (count >= MAX_GATEWAY_KEYS) return 'full'
    const before = await db
      .selectFrom('gateway_keys')
      .select('revoked_at')
      .where('name', '=', cut(key.name))
      .executeTakeFirst()
    if (before !== undefined && before.revoked_at === null) return 'taken'
    await db
      .insertInto('gateway_keys')
      .values({ name: cut(key.name), ...values })
      .onConflict((conflict) => conflict.column('name').doUpdateSet(values))
      .execute()
    return 'added'
  })
}

/** `false`: there is none of that name. One that is revoked already stays as it is. */
export async function revokeGatewayKey(
  engine: Engine,
  {
    name,
    by,
    at,
  }: { readonly name: string; readonly by?: string | undefined; readonly at: number },
): Promise<boolean> {
  return await engine.transact(async (db) => {
    await lock(engine, db)
    const { count } = await db
      .selectFrom('gateway_keys')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('name', '=', cut(name))
      .executeTakeFirstOrThrow()
    if (count === 0) return false
    await db
      .updateTable('gateway_keys')
      .set({ revoked_at: toWhole(at), revoked_by: cutOrNull(by) })
      .where('name', '=', cut(name))
      .where('revoked_at', 'is', null)
      .execute()
    await dropOldest(db)
    return true
  })
}

async function dropOldest(db: RecordsDb): Promise<void> {
  const old = await db
    .selectFrom('gateway_keys')
    .select('name')
    .where('revoked_at', 'is not', null)
    .orderBy('revoked_at', 'desc')
    .orderBy('name')
    .limit(MAX_GATEWAY_KEYS)
    .offset(MAX_REVOKED)
    .execute()
  if (old.length === 0) return
  const names = old.map(({ name }) => name)
  await db.deleteFrom('gateway_keys').where('name', 'in', names).execute()
}

/** Forgets those that are revoked, unless one still holds; `false` then. */
export async function forgetGatewayKeys(engine: Engine): Promise<boolean> {
  return await engine.transact(async (db) => {
    await lock(engine, db)
    const holds = await db
      .selectFrom('gateway_keys')
      .select('name')
      .where('revoked_at', 'is', null)
      .executeTakeFirst()
    if (holds !== undefined) return false
    await db.deleteFrom('gateway_keys').execute()
    return true
  })
}

/** One after the other, or two at once would count the same. On SQLite a transaction is alone by itself. */
async function lock({ name }: Engine, db: RecordsDb): Promise<void> {
  if (name === 'postgres')
    await sql`lock table gateway_keys in share row exclusive mode`.execute(db)
}
