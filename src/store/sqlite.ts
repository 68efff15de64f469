/**
 * The records in a file of SQLite. Neighbours: `sqlite-write.ts` puts batches in, `sqlite-dialect.ts` runs the queries,
 * `engine.ts` is what it gives. Calls block the thread that makes them: it belongs into a thread of its own. Others may
 * have the same file open: readers never wait, writers take turns.
 */
import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { Kysely, sql } from 'kysely'
import { SluiceError } from '../base/sluice-error.ts'
import type { Unbroken } from '../base/unbroken.ts'
import type { Engine, Terms, WordsEntry } from './engine.ts'
import { BUSY_MS, patiently } from './patience.ts'
import { toGlob } from './pattern.ts'
import { createSqliteDialect, toBound } from './sqlite-dialect.ts'
import { SqliteFile } from './sqlite-file.ts'
import { createBatchWriter } from './sqlite-write.ts'
import type { RecordsDb, Tables } from './tables.ts'

export interface SqliteOptions {
  readonly file: string
  /** Whether a commit waits for the disk itself. */
  readonly isSynced: boolean
  readonly isReadOnly: boolean
  readonly unbroken: Unbroken
}

export async function openSqlite(options: SqliteOptions): Promise<Engine> {
  const connection = await openFile(options)
  const db: RecordsDb = new Kysely<Tables>({ dialect: createSqliteDialect(connection) })
  // Made at the first write: the tables are not there before the migrations.
  let writer: ReturnType<typeof createBatchWriter> | undefined
  let words: ReturnType<typeof prepareWords> | undefined
  // Whoever writes has the connection to itself: queries of others do not get into its transaction.
  const inTurn = <T>(work: () => T | Promise<T>): Promise<T> =>
    db.connection().execute(() => Promise.resolve(work()))
  const exec = (text: string): Promise<void> =>
    inTurn(() => patiently(connection, () => connection.exec(text)))

  return {
    name: 'sqlite',
    db,
    terms: TERMS,
    write: (batch) =>
      inTurn(() => {
        writer ??= createBatchWriter(connection, db)
        return writer(batch)
      }),
    transact: (work) => db.transaction().execute(work),
    // On the connection itself, which the transaction has to itself: to build two statements for each would cost most of it.
    putWords(_writing, entries) {
      words ??= prepareWords(connection)
      for (const entry of entries) words(entry)
      return Promise.resolve()
    },
    async dropWords(writing, places) {
      for (const n of places) await sql`delete from texts where rowid = ${n}`.execute(writing)
    },
    bytes: () => inTurn(() => pages(connection, 'page_count') * pages(connection, 'page_size')),
    usedBytes: (reading = db) => readUsedBytes(reading),
    async shrink({ isErased = false } = {}) {
      // What is deleted from the index of words is only marked; merging lets go of it.
      for (let step = 0; step < MERGES; step++) {
        await exec(`insert into texts (texts, rank) values ('merge', -${STEP_PAGES})`)
        await turn()
      }
      let free = await inTurn(() => pages(connection, 'freelist_count'))
      while (free > 0) {
        await exec(`pragma incremental_vacuum(${STEP_PAGES})`)
        const left = await inTurn(() => pages(connection, 'freelist_count'))
        if (left >= free) break
        free = left
        await turn()
      }
      // The log has the old pages until it begins anew; readers that are at work put it off.
      await exec(`pragma wal_checkpoint(${isErased ? 'truncate' : 'passive'})`)
    },
    // Two at once share the work: each step looks anew, within its transaction.
    alone: (_name, work) => work(),
    close: () => db.destroy(),
  }
}

/** Some ten milliseconds of work on a slow disk. */
const STEP_PAGES = 250
const MERGES = 8

/** Its folder and the file itself are for their owner alone. */
async function openFile(options: SqliteOptions): Promise<SqliteFile> {
  const { isSynced, isReadOnly, unbroken } = options
  const file = resolve(options.file)
  try {
    if (!isReadOnly) {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
      // SQLite gives its own mode to a file that it makes, and the mode of the file to those beside it.
      closeSync(openSync(file, 'a', 0o600))
      chmodSync(file, 0o600)
    }
    const connection = new SqliteFile(file, { isReadOnly, busyMs: BUSY_MS, unbroken })
    try {
      for (const text of pragmas(isSynced, isReadOnly))
        await patiently(connection, () => connection.exec(text))
    } catch (error) {
      connection.close()
      throw error
    }
    return connection
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new SluiceError('wrong-use', `Cannot open the records in "${file}": ${why}`, {
      cause: error,
    })
  }
}

function pragmas(isSynced: boolean, isReadOnly: boolean): readonly string[] {
  const always = 'pragma temp_store = memory'
  if (isReadOnly) return [always, 'pragma cache_size = -16000']
  return [
    always,
    // Whoever writes comes back to few pages: with four times as many it took as long.
    'pragma cache_size = -4000',
    // These two before the first table, or they do nothing. A packed answer of 100 chunks has some 3 KB: on pages of
    // 4 KB each would have one to itself, and the file would be twice as large.
    'pragma page_size = 8192',
    'pragma auto_vacuum = incremental',
    'pragma journal_mode = wal',
    `pragma synchronous = ${isSynced ? 'full' : 'normal'}`,
    // What is deleted is written over, so that it is not found in the file afterwards.
    'pragma secure_delete = on',
    'pragma wal_autocheckpoint = 1000',
    'pragma journal_size_limit = 67108864',
  ]
}

async function readUsedBytes(db: RecordsDb): Promise<number> {
  const { rows } = await sql<{
    bytes: number
  }>`select (p.page_count - f.freelist_count) * s.page_size as bytes from pragma_page_count as p, pragma_freelist_count as f, pragma_page_size as s`.execute(
    db,
  )
  return rows[0]?.bytes ?? 0
}

const pages = (
  connection: SqliteFile,
  name: 'page_count' | 'page_size' | 'freelist_count',
): number => Number(connection.prepare(`pragma ${name}`).get()?.[name])

function prepareWords(connection: SqliteFile): (entry: WordsEntry) => void {
  const drop = connection.prepare('delete from texts where rowid = ?')
  const put = connection.prepare('insert into texts (rowid, words) values (?, ?)')
  return ({ n, words }) => {
    drop.run(toBound(n))
    if (words.length > 0) put.run(toBound(n), words.join(' '))
  }
}

const TERMS: Terms = {
  like: (column, pattern) => sql`${column} glob ${toGlob(pattern)}`,
  // Of the SQLite that comes along; one of the system may be built without it.
  share: (column, part) => sql`percentile_cont(${column}, ${sql.lit(part)})`,
  found({ words, isOpen }) {
    const terms = words.map((word) => `"${word.replaceAll('"', '""')}"`)
    const asked = terms.join(' AND ') + (isOpen ? '*' : '')
    return sql`(select rowid as n from texts where texts match ${asked})`
  },
}
