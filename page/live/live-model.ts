/**
 * The list as it stands: what the feed says is put on top, pages of the past below, and both are told to components at
 * most once in a while. Neighbours: `row-book.ts` keeps the lines, `doubts.ts` and `catch-up.ts` ask for what the feed did
 * not say. What it needs of the world is handed in.
 */
import type { ApiEvent, ExchangePage } from '../../src/api/types.ts'
import type { OpenExchange } from '../../src/store/feed.ts'
import type { ExchangeQuery, ExchangeSummary, PageQuery } from '../../src/store/query.ts'
import { catchUp } from './catch-up.ts'
import { createDoubts, type Doubts } from './doubts.ts'
import { isSameFilter, toExchangeQuery, type Filter } from './filter.ts'
import { fits, type Fit } from './filter-fits.ts'
import { createRowBook, type RowBook } from './row-book.ts'
import type { LiveRow, LiveVerdict } from './row.ts'

export interface LiveState {
  readonly rows: readonly LiveRow[]
  /** New ones that wait while the list is paused. */
  readonly heldCount: number
  readonly isPaused: boolean
  /** The first page is on its way. */
  readonly isLoading: boolean
  readonly hasMore: boolean
  /** No more lines are held. */
  readonly isFull: boolean
  readonly error: unknown
}

export interface LiveModel {
  get(): LiveState
  onChange(callback: () => void): () => void
  filterBy(filter: Filter): void
  more(): void
  pause(isPaused: boolean): void
  retry(): void
  hear(event: ApiEvent): void
}

export interface LiveWorld {
  ask(query: ExchangeQuery & PageQuery): Promise<ExchangePage>
  /** Calls back soon, and not more often than is of use. */
  soon(callback: () => void): void
  later(callback: () => void, ms: number): void
  /** What goes on now, with what was decided in it so far. */
  open(): readonly OpenNow[]
}

interface OpenNow {
  readonly exchange: OpenExchange
  readonly verdicts: readonly LiveVerdict[]
}

export const MAX_ROWS = 20_000
const PAGE_ROWS = 200
/** As many as the API gives at once. */
const MAX_ASKED = 1000

const NOTHING: LiveState = {
  rows: [],
  heldCount: 0,
  isPaused: false,
  isLoading: true,
  hasMore: false,
  isFull: false,
  error: undefined,
}

/** All that belongs to one filter: with another one it is left behind, and answers that come late change nothing. */
interface Round {
  readonly filter: Filter
  readonly book: RowBook
  readonly doubts: Doubts
  ask(page: ExchangeQuery & PageQuery): Promise<ExchangePage>
  next: string | undefined
  isAsking: boolean
  isLoading: boolean
  error: unknown
}

export function createLiveModel(world: LiveWorld): LiveModel {
  const listeners = new Set<() => void>()
  let state = NOTHING
  let round: Round | undefined
  let isPaused = false
  let isTelling = false

  function tell(): void {
    if (isTelling) return
    isTelling = true
    world.soon(() => {
      isTelling = false
      if (round === undefined) return
      state = toState(round, isPaused)
      for (const callback of listeners) callback()
    })
  }

  function startRound(filter: Filter): void {
    const query = (): ExchangeQuery => toExchangeQuery(filter)
    const asked = query()
    const book = createRowBook((row) => fits(asked, row), MAX_ROWS)
    const current: Round = {
      filter,
      book,
      ask: (page) => world.ask({ ...query(), limit: PAGE_ROWS, ...page }),
      doubts: createDoubts({
        later: world.later,
        isTextAsked: asked.text !== undefined,
        async ask(since) {
          const from = Math.max(since, query().since ?? 0)
          const found = await current.ask({ since: from, limit: MAX_ASKED })
          book.merge(found.items)
          if (current === round) tell()
          return new Set(found.items.map(({ id }) => id))
        },
      }),
      next: undefined,
      isAsking: false,
      isLoading: true,
      error: undefined,
    }
    round = current
    for (const { exchange, verdicts } of world.open()) {
      book.begun(exchange)
      for (const verdict of verdicts) book.verdict(exchange.id, verdict)
    }
    book.hold(isPaused)
    void load(current)
  }

  async function load(current: Round): Promise<void> {
    if (current.isAsking) return
    // Only what goes on is wanted, and that is known already.
    if (current.filter.is !== undefined) {
      current.isLoading = false
      return tell()
    }
    current.isAsking = true
    try {
      const page = await current.ask({ cursor: current.next })
      current.book.merge(page.items, true)
      current.next = current.book.isFull() ? undefined : page.next
      current.error = undefined
    } catch (error) {
      current.error = error
    }
    current.isAsking = false
    current.isLoading = false
    if (current === round) tell()
  }

  /** The connection is back: what was said meanwhile was said to nobody. */
  async function recover(current: Round, over: readonly LiveRow[]): Promise<void> {
    if (current.isLoading || current.filter.is !== undefined) return
    try {
      const cut = await catchUp(current.book, current.ask, over)
      if (cut !== undefined) current.next = cut.next
      current.error = undefined
    } catch (error) {
      current.error = error
    }
    if (current === round) tell()
  }

  function hear(event: ApiEvent): void {
    if (round === undefined) return
    const { book, doubts } = round
    switch (event.type) {
      case 'state':
        void recover(round, book.begin(event.open))
        break
      case 'begun':
        book.begun(event.exchange)
        break
      case 'verdict':
        book.verdict(event.id, event.verdict)
        break
      case 'finished':
        noteDoubt(book.finished(event.exchange), event.exchange, doubts)
        break
      case 'recorded':
        doubts.recorded(event.id)
        return
      case 'gone':
        book.gone(event.id)
        break
      case 'asked':
      case 'waiting':
      case 'decided':
      case 'expired':
      case 'halt':
      case 'piece':
        return
    }
    tell()
  }

  return {
    get: () => state,
    onChange(callback) {
      listeners.add(callback)
      return () => listeners.delete(callback)
    },
    filterBy(filter) {
      if (round !== undefined && isSameFilter(round.filter, filter)) return
      startRound(filter)
      tell()
    },
    more() {
      if (round?.next !== undefined) void load(round)
    },
    pause(next) {
      isPaused = next
      round?.book.hold(next)
      tell()
    },
    retry() {
      if (round !== undefined) startRound(round.filter)
      tell()
    },
    hear,
  }
}

/** Whether it fits, or which tools it called, is known when its bytes are read. */
function noteDoubt(fit: Fit, { id, startedAt, ...done }: ExchangeSummary, doubts: Doubts): void {
  const isOfTools =
    done.tools.length === 0 &&
    (done.finishReason === 'tool-calls' ||
      done.outcome !== 'done' ||
      Object.keys(done.verdicts).length + Object.keys(done.shadowVerdicts).length > 0)
  if (fit === undefined || (fit && isOfTools)) doubts.add(id, startedAt)
}

const toState = (round: Round, isPaused: boolean): LiveState => ({
  rows: round.book.rows(),
  heldCount: round.book.heldCount(),
  isPaused,
  isLoading: round.isLoading,
  hasMore: round.next !== undefined,
  isFull: round.book.isFull(),
  error: round.error,
})
