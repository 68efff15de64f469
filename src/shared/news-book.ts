/**
 * What gateways tell each other, written into the log and read from it: batches of the outbox in, letters out, none
 * missed and none twice. Neighbours: `postgres-line.ts` says when, `news-log.ts` has the questions. Has no connection and
 * no clock of its own.
 */
import pg from 'pg'
import type { Letter } from './circle.ts'
import { missing, toLedgerRow } from './ledger-rows.ts'
import type { Spent } from './ledger.ts'
import { KEPT_TOPICS, KNOWN, PUBLISH, READ, STANDING } from './news-log.ts'
import type { Batch, NewsOutbox } from './news-outbox.ts'
import type { PostgresLink } from './postgres-link.ts'
import type { Seal } from './seal.ts'

export interface NewsBookOptions {
  readonly self: string
  readonly outbox: NewsOutbox
  readonly query: PostgresLink['query']
  seal(): Seal
  /** What is known here of spending. */
  standing(): readonly Spent[]
  onLetter(letter: Letter): void
  /** A gateway that has told something just now. */
  onTeller(gateway: string): void
  /** Something cannot be written, ever. */
  onRefused(why: string): void
  /** This gateway is not on the list any more: it must be put there. */
  onForgotten(): Promise<void>
}

export interface NewsBook {
  /** All that waits in the outbox. */
  write(): Promise<void>
  /** All that others have told since the last time. */
  read(): Promise<void>
  /** What others have spent while nobody told this gateway. Nothing may be on its way. */
  compare(): Promise<void>
}

export function createNewsBook(options: NewsBookOptions): NewsBook {
  const { self, outbox, query } = options
  let cursor = 0
  /** What was spent up to here is in what the table said. */
  let spentFrom = 0
  /** Before this only what is kept is of interest. */
  let joinedAt = 0

  async function write(): Promise<void> {
    for (;;) {
      const batch = outbox.take()
      if (batch === undefined) return
      await publish(batch).catch((error: unknown) => {
        // Tried again it would be refused again, and nothing behind it would ever leave.
        if (!isRefused(error)) throw error
        options.onRefused(error.message)
      })
      outbox.done()
    }
  }

  async function publish(batch: Batch): Promise<void> {
    const seal = options.seal()
    const parcels = toParcels(batch, self)
    const rows = batch.spent.map(toLedgerRow)
    const column = (at: number): unknown[] => rows.map((row) => row[at] ?? null)
    const values = [
      self,
      batch.number,
      parcels.map(({ recipient }) => recipient ?? null),
      parcels.map(({ topic }) => topic),
      parcels.map(({ body }) => seal.close(body)),
      ...[0, 1, 2, 3, 4, 5].map(column),
    ]
    const told = await query(PUBLISH, values)
    if (told.length > 0 || parcels.length === 0) return
    const [known] = await query(KNOWN, [self])
    if (known !== undefined && Number(known['batch']) >= batch.number) return
    // Taken off the list, after a day away.
    await options.onForgotten()
    await query(PUBLISH, values)
  }

  /** What others have spent while nobody told this gateway. */
  async function compare(): Promise<void> {
    const rows = await query(STANDING)
    const until = Number(rows[0]?.['cursor'] ?? 0)
    const spent = missing(rows, options.standing(), outbox.unwritten())
    spentFrom = until
    if (cursor === 0) joinedAt = until
    if (spent.length > 0)
      options.onLetter({ from: STORE, to: undefined, news: { type: 'spent', spent } })
  }

  async function read(): Promise<void> {
    for (;;) {
      const rows = await query(READ, [cursor, self, joinedAt, KEPT_TOPICS])
      for (const row of rows) {
        const id = Number(row['id'])
        cursor = Math.max(cursor, id)
        if (id > joinedAt) options.onTeller(String(row['gateway']))
        if (row['topic'] !== 'spent' || id > spentFrom) hear(String(row['body']))
      }
      if (rows.length === 0) break
    }
    cursor = Math.max(cursor, joinedAt)
  }

  function hear(body: string): void {
    let read: readonly Letter[]
    try {
      read = JSON.parse(options.seal().open(body)) as readonly Letter[]
    } catch {
      // Of another version, or of one with another key: the rest is of use still.
      return
    }
    for (const letter of read) options.onLetter(letter)
  }

  return { write, read, compare }
}

/** Who tells what the table says. */
const STORE = 'store'

function toParcels(batch: Batch, self: string): Batch['parcels'] {
  if (batch.spent.length === 0) return batch.parcels
  const letter: Letter = { from: self, to: undefined, news: { type: 'spent', spent: batch.spent } }
  return [
    ...batch.parcels,
    { topic: 'spent', recipient: undefined, body: JSON.stringify([letter]) },
  ]
}

/** The database cannot take these values, ever. */
const isRefused = (error: unknown): error is pg.DatabaseError =>
  error instanceof pg.DatabaseError && /^(?:22|23|54)/.test(error.code ?? '')
