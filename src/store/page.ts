/**
 * Pages and where the next begins. Neighbours: every list of this room. A cursor says after which row to go on, so that
 * what is written meanwhile neither repeats nor hides anything.
 */
import { SluiceError } from '../base/sluice-error.ts'
import type { Page, PageQuery } from './query.ts'

const DEFAULT_LIMIT = 50
const MAX_LIMIT = 1000

export function toLimit({ limit = DEFAULT_LIMIT }: PageQuery): number {
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT) return limit
  throw new SluiceError(
    'wrong-use',
    `Cannot make a page of ${limit}: it has from 1 to ${MAX_LIMIT} entries`,
  )
}

/** So many whole numbers as were written into it. */
export function readCursor(cursor: string, count: number): readonly number[] {
  const numbers = cursor.split('.').map(Number)
  const isRight = /^\d{1,16}(\.\d{1,16})*$/.test(cursor) && numbers.length === count
  if (isRight && numbers.every(Number.isSafeInteger)) return numbers
  throw new SluiceError(
    'wrong-use',
    'Cannot go on from this cursor: use "next" of the page before as it is, or none for the first page',
  )
}

/** One more was asked for than the page has: it says whether there is another. */
export function toPage<Row, T>(
  rows: readonly Row[],
  limit: number,
  { item, cursor }: { item: (row: Row) => T; cursor: (row: Row) => string },
): Page<T> {
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  return {
    items: shown.map(item),
    next: rows.length > limit && last !== undefined ? cursor(last) : undefined,
  }
}
