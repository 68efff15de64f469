/**
 * A file of SQLite, opened: the calls that we make of it, each as a whole (`base/unbroken.ts`). Neighbours: `sqlite.ts` opens
 * it, `sqlite-dialect.ts`, `sqlite-write.ts` and `patience.ts` call it. The only file that knows the addon.
 */
import {
  DatabaseSync,
  type DatabaseSyncInstance,
  type StatementSyncInstance,
} from '@photostructure/sqlite'
import type { Unbroken } from '../base/unbroken.ts'

export interface SqliteFileOptions {
  readonly isReadOnly: boolean
  /** How long a call waits for others. */
  readonly busyMs: number
  readonly unbroken: Unbroken
}

type Row = Record<string, unknown>

export class SqliteFile {
  readonly #database: DatabaseSyncInstance
  readonly #unbroken: Unbroken

  constructor(file: string, { isReadOnly, busyMs, unbroken }: SqliteFileOptions) {
    this.#unbroken = unbroken
    this.#database = unbroken.run(
      () => new DatabaseSync(file, { readOnly: isReadOnly, timeout: busyMs }),
    )
  }
  exec(text: string): void {
    this.#unbroken.run(() => this.#database.exec(text))
  }
  prepare(text: string): SqliteStatement {
    const statement = this.#unbroken.run(() => this.#database.prepare(text))
    return new SqliteStatement(statement, this.#unbroken)
  }
  get isTransaction(): boolean {
    return this.#unbroken.run(() => this.#database.isTransaction)
  }
  close(): void {
    this.#unbroken.run(() => this.#database.close())
  }
}

export class SqliteStatement {
  readonly #statement: StatementSyncInstance
  readonly #unbroken: Unbroken

  constructor(statement: StatementSyncInstance, unbroken: Unbroken) {
    this.#statement = statement
    this.#unbroken = unbroken
  }
  /** Whether it gives rows. */
  isReader(): boolean {
    return this.#unbroken.run(() => this.#statement.columns().length > 0)
  }
  run(...values: readonly unknown[]) {
    return this.#unbroken.run(() => this.#statement.run(...values))
  }
  get(...values: readonly unknown[]): Row | undefined {
    return this.#unbroken.run(() => this.#statement.get(...values) as Row | undefined)
  }
  all(...values: readonly unknown[]): unknown[] {
    return this.#unbroken.run(() => this.#statement.all(...values) as unknown[])
  }
  *iterate(...values: readonly unknown[]): IterableIterator<unknown> {
    const rows = this.#unbroken.run(() => this.#statement.iterate(...values))
    const iterator = rows[Symbol.iterator]() as Iterator<unknown>
    try {
      for (;;) {
        const step = this.#unbroken.run(() => iterator.next())
        if (step.done === true) return
        yield step.value
      }
    } finally {
      this.#unbroken.run(() => iterator.return?.())
    }
  }
}
