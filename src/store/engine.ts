/**
 * What an engine must give: one set of queries runs on each, and this is all in which they differ. Neighbours:
 * `sqlite.ts` and `postgres.ts` are the two, `open-store.ts` puts the contract together from one of them.
 */
import type { Expression, RawBuilder, SqlBool } from 'kysely'
import type { ColumnPattern } from './pattern.ts'
import type { RecordsDb } from './tables.ts'
import type { Batch } from './to-rows.ts'
import type { AskedWords } from './words.ts'

export interface Engine {
  readonly name: 'sqlite' | 'postgres'
  readonly db: RecordsDb
  readonly terms: Terms
  /** All of it, or nothing. */
  write(batch: Batch): Promise<void>
  /** For writes that are not hot; nobody else writes meanwhile, as far as the engine needs that. */
  transact<T>(work: (db: RecordsDb) => Promise<T>): Promise<T>
  /** Puts words into the index; those that stand there for an exchange are replaced. */
  putWords(db: RecordsDb, entries: readonly WordsEntry[]): Promise<void>
  dropWords(db: RecordsDb, places: readonly number[]): Promise<void>
  /** Of the file, or of the tables. */
  bytes(): Promise<number>
  /** What of that is in use: what is gone but not given back does not count. Within a transaction, as it sees it. */
  usedBytes(db?: RecordsDb): Promise<number>
  /** Gives back what is free, in small steps. `isErased`: what was deleted may not be found in what is left, either. */
  shrink(options?: { readonly isErased?: boolean }): Promise<void>
  /** Runs it unless another process does something of this name right now; then gives back `undefined`. */
  alone<T>(name: string, work: () => Promise<T>): Promise<T | undefined>
  close(): Promise<void>
}

export interface WordsEntry {
  readonly n: number
  readonly words: readonly string[]
}

/** Where the engines have different words for the same. */
export interface Terms {
  /** A column holds to a pattern of several parts. */
  like(column: Expression<unknown>, pattern: ColumnPattern): Expression<SqlBool>
  /** The value that this part of a group, from 0 to 1, does not pass; between two it lies where the part does. */
  share(column: Expression<unknown>, part: number): Expression<number | null>
  /** Places whose words are these, as a table `texts` with a column `n`. */
  found(asked: AskedWords): RawBuilder<{ n: number }>
}
