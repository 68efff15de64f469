/**
 * Queries of kysely on a file of SQLite. Neighbours: `sqlite.ts` opens the file. Statements are prepared once; a
 * transaction that writes says so when it begins, because one that finds it out later cannot wait for others.
 */
import {
  SqliteDialect,
  SqliteDriver,
  type Driver,
  type SqliteDatabase,
  type SqliteDialectConfig,
} from 'kysely'
import { beginToWrite } from './patience.ts'
import type { SqliteFile, SqliteStatement } from './sqlite-file.ts'

export function createSqliteDialect(file: SqliteFile): SqliteDialect {
  return new ImmediateDialect(file)
}

class ImmediateDialect extends SqliteDialect {
  readonly #file: SqliteFile
  readonly #config: SqliteDialectConfig
  constructor(file: SqliteFile) {
    const config = { database: toDatabase(file) }
    super(config)
    this.#file = file
    this.#config = config
  }
  override createDriver(): Driver {
    return new ImmediateDriver(this.#file, this.#config)
  }
}

class ImmediateDriver extends SqliteDriver {
  readonly #file: SqliteFile
  constructor(file: SqliteFile, config: SqliteDialectConfig) {
    super(config)
    this.#file = file
  }
  override beginTransaction(): Promise<void> {
    return beginToWrite(this.#file)
  }
}

/** Queries with lists of different lengths are different texts. */
const MAX_PREPARED = 200

function toDatabase(file: SqliteFile): SqliteDatabase {
  const prepared = new Map<string, ReturnType<typeof toStatement>>()
  return {
    close: () => file.close(),
    prepare(text) {
      const known = prepared.get(text)
      if (known !== undefined) return known
      const oldest = prepared.size < MAX_PREPARED ? undefined : prepared.keys().next().value
      if (oldest !== undefined) prepared.delete(oldest)
      const statement = toStatement(file.prepare(text))
      prepared.set(text, statement)
      return statement
    },
  }
}

function toStatement(statement: SqliteStatement) {
  return {
    reader: statement.isReader(),
    all: (values: readonly unknown[]): unknown[] => statement.all(...values.map(toBound)),
    run: (values: readonly unknown[]) => statement.run(...values.map(toBound)),
    iterate: (values: readonly unknown[]): IterableIterator<unknown> =>
      statement.iterate(...values.map(toBound)),
  }
}

/** A number over 32 bits would be bound as a real one, and by that no place is found in an index of words. */
export const toBound = (value: unknown): unknown =>
  typeof value === 'number' && Number.isInteger(value) && Math.abs(value) > 0x7fff_ffff
    ? BigInt(value)
    : value
