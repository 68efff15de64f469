/**
 * After a lost connection: the newest pages, until they meet what is known, so that no hole is left. Neighbours:
 * `live-model.ts` calls it, `row-book.ts` takes what is found.
 */
import type { ExchangePage } from '../../src/api/types.ts'
import type { ExchangeQuery, PageQuery } from '../../src/store/query.ts'
import type { RowBook } from './row-book.ts'
import type { LiveRow } from './row.ts'

type Ask = (page: ExchangeQuery & PageQuery) => Promise<ExchangePage>

const MAX_PAGES = 5
/** Open before and no longer: more of them than this are found by scrolling. */
const MAX_OVER = 20

/** `over`: were open, and are not any more. Gives back where the past goes on, where it had to be cut off. */
export async function catchUp(
  book: RowBook,
  ask: Ask,
  over: readonly LiveRow[],
): Promise<{ readonly next: string | undefined } | undefined> {
  const cut = await fill(book, ask, over)
  const found = new Map(book.rows().map((row) => [row.id, row]))
  const lost = over.filter(({ id }) => found.get(id)?.state === 'open')
  for (const { id, startedAt } of lost.slice(0, MAX_OVER)) {
    const { items } = await ask({ since: startedAt, until: startedAt + 1 })
    const one = items.filter((item) => item.id === id)
    if (one.length > 0) book.merge(one)
    else book.gone(id)
  }
  for (const { id } of lost.slice(MAX_OVER)) book.gone(id)
  return cut
}

async function fill(
  book: RowBook,
  ask: Ask,
  over: readonly LiveRow[],
): Promise<{ readonly next: string | undefined } | undefined> {
  const wasOpen = new Set(over.map(({ id }) => id))
  let cursor: string | undefined
  for (let page = 1; ; page++) {
    const { items, next } = await ask({ cursor })
    const meets = items.some(({ id }) => book.has(id) && !wasOpen.has(id))
    book.merge(items)
    if (meets || next === undefined) return undefined
    if (page === MAX_PAGES) {
      book.forgetBefore(items.at(-1)?.startedAt ?? 0)
      return { next }
    }
    cursor = next
  }
}
