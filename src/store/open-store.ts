/**
 * A place → the records in it: the engine that keeps them, brought up to date, behind the contract of `store.ts`.
 * Neighbours: `records/` opens one in a thread of its own, the command line one to look at.
 */
import { SluiceError } from '../base/sluice-error.ts'
import { NEVER_ENDED, type Unbroken } from '../base/unbroken.ts'
import { readBodies, readBody } from './bodies.ts'
import { listConversations } from './conversations.ts'
import type { Engine } from './engine.ts'
import { countExchanges, findExchange, listExchanges } from './exchanges.ts'
import {
  forgetGatewayKeys,
  readGatewayKeys,
  revokeGatewayKey,
  writeGatewayKey,
} from './gateway-keys.ts'
import { CODEC, readMeta, readNote, writeNote } from './meta.ts'
import { checkVersion, migrate } from './migrate.ts'
import { readPolicyEditMark, readPolicyEdits, writePolicyEdit } from './policy-edits.ts'
import { countByVersion, summarizePolicies } from './policy-summary.ts'
import {
  readPolicyModes,
  readPolicyVersions,
  writePolicyMode,
  writePolicyVersions,
} from './policy-tables.ts'
import { enforceLimits, removeExchanges } from './retention.ts'
import type { SqliteOptions } from './sqlite.ts'
import { readStats } from './stats.ts'
import type { PieceCodec, RecordStore, StoreLocation, StoreSize } from './store.ts'
import { readTextDue, writeTexts } from './texts.ts'
import { toBatch } from './to-rows.ts'
import { listVerdicts, verifyChain } from './verdicts.ts'

export interface OpenStoreOptions {
  readonly codec: PieceCodec
  /** Whether a commit waits for the disk itself; default: no. */
  readonly isSynced?: boolean
  /** Whether words can be searched for; default: yes. */
  readonly hasSearch?: boolean
  /** Nothing is made, migrated or written. */
  readonly isReadOnly?: boolean
  /** Of a thread that somebody may end. */
  readonly unbroken?: Unbroken
  readonly now?: () => number
}

export async function openStore(
  location: StoreLocation,
  {
    codec,
    isSynced = false,
    hasSearch = true,
    isReadOnly = false,
    unbroken = NEVER_ENDED,
    now = Date.now,
  }: OpenStoreOptions,
): Promise<RecordStore> {
  const engine = await openEngine(location, { isSynced, isReadOnly, unbroken })
  try {
    if (isReadOnly) await checkVersion(engine)
    else await migrate(engine)
    await openCodec(engine, codec, isReadOnly)
  } catch (error) {
    await engine.close()
    throw error
  }
  return createStore(engine, { codec, hasSearch, now })
}

/** Only one of them is loaded: that is a good part of the time in which a gateway starts. */
async function openEngine(
  location: StoreLocation,
  options: Omit<SqliteOptions, 'file'>,
): Promise<Engine> {
  if (location.type === 'sqlite') {
    const { openSqlite } = await options.unbroken.wait(() => import('./sqlite.ts'))
    return openSqlite({ file: location.file, ...options })
  }
  const { openPostgres } = await import('./postgres.ts')
  return openPostgres({ url: location.url })
}

interface StoreParts {
  readonly codec: PieceCodec
  readonly hasSearch: boolean
  readonly now: () => number
}

function createStore(engine: Engine, { codec, hasSearch, now }: StoreParts): RecordStore {
  const searchable = <Query extends { readonly text?: string }>(query: Query): Query => {
    if (query.text === undefined || hasSearch) return query
    throw new SluiceError(
      'wrong-use',
      'Cannot search for words: the search of this store is off; set "store.search" to true for what comes from now on',
    )
  }
  return {
    list: async (query) => listExchanges(engine, searchable(query)),
    count: async (query, max) => countExchanges(engine, searchable(query), max),
    find: (id) => findExchange(engine, id),
    body: (id, kind) => readBody(engine, codec, { id, kind }),
    bodies: (ids, kinds) => readBodies(engine, codec, { ids, kinds }),
    verdicts: async (query) => listVerdicts(engine, codec, searchable(query)),
    conversations: async (query) => listConversations(engine, searchable(query)),
    stats: async (query) => readStats(engine, searchable(query), now()),
    policies: async (query) => summarizePolicies(engine, codec, searchable(query)),
    verify: () => verifyChain(engine, codec),
    policyModes: () => readPolicyModes(engine),
    policyVersions: () => readPolicyVersions(engine),
    policyEditMark: () => readPolicyEditMark(engine),
    policyEdits: (policy) => readPolicyEdits(engine, policy),
    versionVerdicts: (policy) => countByVersion(engine, policy),
    gatewayKeys: () => readGatewayKeys(engine),
    size: () => readSize(engine),
    note: (name) => readNote(engine, name),
    async write(items) {
      if (items.length > 0) await engine.write(toBatch(items, { codec, hasSearch, now: now() }))
    },
    remove: (which) => removeExchanges(engine, which),
    enforce: (limits) => enforceLimits(engine, limits, now),
    textDue: (query) => readTextDue(engine, query),
    setTexts: (texts) =>
      writeTexts(engine, hasSearch ? texts : texts.map(({ id }) => ({ id, text: '' }))),
    setPolicyMode: (mode) => writePolicyMode(engine, mode),
    addPolicyEdit: (edit, after) => writePolicyEdit(engine, edit, after),
    notePolicyVersions: (versions) => writePolicyVersions(engine, versions),
    addGatewayKey: (key) => writeGatewayKey(engine, key),
    revokeGatewayKey: (which) => revokeGatewayKey(engine, which),
    forgetGatewayKeys: () => forgetGatewayKeys(engine),
    setNote: (name, text) => writeNote(engine, name, text),
    close: () => engine.close(),
  }
}

/** Two that open a new store at once must agree: what was kept first holds for both. */
async function openCodec(engine: Engine, codec: PieceCodec, isReadOnly: boolean): Promise<void> {
  const { db } = engine
  const kept = await readMeta(db, CODEC)
  const value = codec.open(kept)
  if (value === kept || value === undefined || isReadOnly) return
  await engine.transact((writing) =>
    writing
      .insertInto('meta')
      .values({ name: CODEC, value })
      .onConflict((conflict) => conflict.doNothing())
      .execute(),
  )
  const first = await readMeta(db, CODEC)
  if (first !== value) codec.open(first)
}

async function readSize(engine: Engine): Promise<StoreSize> {
  const row = await engine.db
    .selectFrom('exchanges')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirst()
  const oldest = await engine.db
    .selectFrom('exchanges')
    .select('started_at')
    .orderBy('n')
    .limit(1)
    .executeTakeFirst()
  return {
    exchanges: row?.count ?? 0,
    bytes: await engine.bytes(),
    oldestAt: oldest?.started_at,
  }
}
