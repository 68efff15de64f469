/**
 * The records on a Postgres, for several gateways. Neighbours: `postgres-write.ts` puts batches in, `engine.ts` is what
 * it gives. A commit is on the disk of the server when it returns, as the server is set up. Statements have no names, so
 * that a pooler may stand between; only what one gateway does alone holds a session of its own.
 */
import { Kysely, PostgresDialect, sql, type PostgresPool, type PostgresPoolClient } from 'kysely'
import pg from 'pg'
import { SluiceError } from '../base/sluice-error.ts'
import type { Engine, Terms } from './engine.ts'
import { toLike } from './pattern.ts'
import { createBatchWriter } from './postgres-write.ts'
import type { RecordsDb, Tables } from './tables.ts'

export interface PostgresOptions {
  readonly url: string
  /** A server that says nothing for so long is gone. */
  readonly queryMs?: number
}

/** One that writes, and some that read. */
const CONNECTIONS = 4
const CONNECT_MS = 10_000
const QUERY_MS = 60_000

export function openPostgres({ url, queryMs = QUERY_MS }: PostgresOptions): Engine {
  const config = toConfig(url)
  const pool = new pg.Pool({ ...config, max: CONNECTIONS, query_timeout: queryMs })
  // Of connections that nobody uses just now: the next query gets a new one, or an error of its own.
  pool.on('error', () => undefined)
  // Of one that is in use, between two queries: the next of them fails. Unheard, it would end the thread.
  pool.on('connect', (client) => void client.on('error', () => undefined))
  const db: RecordsDb = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: guarded(pool) }),
  })
  const write = createBatchWriter(db)

  /** A session of its own, where nothing is cut short. */
  async function session<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    const client = new pg.Client(config)
    client.on('error', () => undefined)
    await client.connect()
    try {
      return await work(client)
    } finally {
      await client.end()
    }
  }

  return {
    name: 'postgres',
    db,
    terms: TERMS,
    write,
    transact: (work) => db.transaction().execute(work),
    putWords,
    async dropWords(writing, places) {
      if (places.length > 0) await writing.deleteFrom('texts').where('n', 'in', places).execute()
    },
    bytes: () => readBytes(db),
    usedBytes: (reading = db) => readUsedBytes(reading),
    // What is deleted is in the tables until then; the server does it by itself, at its own time.
    shrink: () =>
      session(async (client) => void (await client.query(`vacuum ${TABLES.join(', ')}`))),
    alone: (name, work) =>
      session(async (client) => {
        const { rows } = await client.query<{ is_mine: boolean }>(
          'select pg_try_advisory_lock($1, hashtext($2)) as is_mine',
          [LOCKS, name],
        )
        // With the session the lock goes, also when this process dies.
        return rows[0]?.is_mine === true ? work() : undefined
      }),
    close: () => db.destroy(),
  }
}

/** A connection that did not answer in time still waits for it: it is closed, and nobody waits behind it. */
function guarded(pool: pg.Pool): PostgresPool {
  return {
    end: () => pool.end(),
    async connect() {
      const client = await pool.connect()
      let isStuck = false
      const query = async (text: unknown, values?: unknown): Promise<unknown> => {
        if (isStuck) throw new Error('Connection terminated: it did not answer in time')
        try {
          return await client.query(text as string, values as unknown[])
        } catch (error) {
          isStuck = error instanceof Error && error.message === 'Query read timeout'
          throw error
        }
      }
      return {
        query: query as PostgresPoolClient['query'],
        release: () => client.release(isStuck),
      }
    },
  }
}

/** Locks of the records, among others of the same database. */
const LOCKS = 7_714_202

const TABLES = ['exchanges', 'details', 'bodies', 'loose', 'tools', 'verdicts', 'texts']

function toConfig(url: string): pg.ClientConfig {
  if (!/^postgres(?:ql)?:\/\//.test(url))
    throw new SluiceError(
      'wrong-use',
      'Cannot open the records: a Postgres is named as "postgres://…"',
    )
  return {
    connectionString: url,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    application_name: 'sluice',
    types: { getTypeParser },
  }
}

const INT8 = 20
const NUMERIC = 1700

/** Counts and places are whole numbers under 2^53; as they come they would be texts. */
function getTypeParser(oid: number, format?: 'text' | 'binary'): (value: string) => unknown {
  if (oid === INT8 || oid === NUMERIC) return Number
  return pg.types.getTypeParser(oid, format as 'text') as (value: string) => unknown
}

async function readBytes(db: RecordsDb): Promise<number> {
  const names = sql.join(TABLES)
  const { rows } = await sql<{
    bytes: number
  }>`select coalesce(sum(pg_total_relation_size(to_regclass(t.name))), 0) as bytes from unnest(array[${names}]::text[]) as t(name)`.execute(
    db,
  )
  return rows[0]?.bytes ?? 0
}

/** What a row and its neighbours in the other tables take beside its pieces, about. */
const ROW_BYTES = 3_500
const VERDICT_BYTES = 1_000

/** Tables do not become smaller when rows go, so that it is counted from the rows. */
async function readUsedBytes(db: RecordsDb): Promise<number> {
  const { rows } = await sql<{
    bytes: number
  }>`select (select coalesce(sum(stored_bytes), 0) + count(*) * ${sql.lit(ROW_BYTES)} from exchanges) + (select count(*) * ${sql.lit(VERDICT_BYTES)} from verdicts) as bytes`.execute(
    db,
  )
  return rows[0]?.bytes ?? 0
}

const putWords: Engine['putWords'] = async (db, entries) => {
  const places = entries.map(({ n }) => n)
  await db.deleteFrom('texts').where('n', 'in', places).execute()
  const filled = entries.filter(({ words }) => words.length > 0)
  if (filled.length === 0) return
  const ns = filled.map(({ n }) => n)
  const words = filled.map((entry) => entry.words.join(' '))
  await sql`insert into texts (n, words) select t.n, array_to_tsvector(string_to_array(t.words, ' ')) from unnest(${ns}::bigint[], ${words}::text[]) as t(n, words)`.execute(
    db,
  )
}

const TERMS: Terms = {
  like: (column, pattern) => sql`${column} like ${toLike(pattern)}`,
  share: (column, part) => sql`percentile_cont(${sql.lit(part)}) within group (order by ${column})`,
  found({ words, isOpen }) {
    const terms = words.map((word) => `'${word.replaceAll("'", "''").replaceAll('\\', '\\\\')}'`)
    const asked = terms.join(' & ') + (isOpen ? ':*' : '')
    return sql`(select n from texts where words @@ ${asked}::tsquery)`
  },
}
