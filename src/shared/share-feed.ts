/**
 * The live feeds of all as one: what happens elsewhere is told here too while somebody looks, and the bytes of an
 * exchange that another serves come on demand. Neighbours: `records/feed.ts` is the feed of this process; `circle.ts`
 * carries. While nobody looks anywhere nothing is told and nothing costs. Wishes are told again and run out by
 * themselves, so that one who died leaves none behind.
 */
import { createListeners } from '../approvals/listeners.ts'
import type { Feed, FeedEvent, LivePiece, OpenExchange } from '../store/feed.ts'
import type { Circle, Letter, SentPiece } from './circle.ts'
import { createFeedTeller } from './feed-teller.ts'

export interface SharedFeed extends Feed {
  close(): void
}

export interface ShareFeedOptions {
  /** How often a wish is told again; it holds for three times as long. */
  readonly wishMs?: number
  readonly now?: () => number
}

const WISH_MS = 5000
const ANSWER_MS = 1500
/** Of exchanges elsewhere: so many are known at once, the newest. */
const MAX_OPEN = 10_000

interface Watch {
  readonly id: string | undefined
  readonly onPiece: (piece: LivePiece) => void
  readonly onEnd: (() => void) | undefined
  /** Who has the exchange; `undefined`: all are asked. */
  owner: string | undefined
  /** When it counts as over if nothing more is heard of it. */
  until: number
}

export function shareFeed(own: Feed, circle: Circle, options: ShareFeedOptions = {}): SharedFeed {
  const { wishMs = WISH_MS, now = Date.now } = options
  const teller = createFeedTeller(own, circle, { holdsMs: wishMs * 3, now })
  const listeners = createListeners<FeedEvent>()
  const elsewhere = new Map<string, { readonly exchange: OpenExchange; readonly who: string }>()
  const watches = new Map<string, Watch>()
  let listening = 0
  let asks = 0
  /** Whether some of the others may have missed that somebody listens here. */
  let isNew = true

  /** Of others: what is known of open exchanges grows and shrinks by it. */
  function hear(event: FeedEvent, who: string): void {
    if (event.type === 'begun') {
      // Told again to one who has begun to listen, it is no news.
      const isKnown = elsewhere.has(event.exchange.id)
      elsewhere.set(event.exchange.id, { exchange: event.exchange, who })
      dropOldest(elsewhere, MAX_OPEN)
      if (isKnown) return
    }
    if (event.type === 'finished') elsewhere.delete(event.exchange.id)
    listeners.tell(event)
  }

  function take({ from, news }: Letter): void {
    if (news.type === 'events' && listening > 0) for (const event of news.events) hear(event, from)
    if (news.type !== 'pieces') return
    const watch = watches.get(news.ask)
    if (watch === undefined) return
    watch.until = now() + wishMs * 3
    if (watch.id !== undefined) watch.owner = from
    for (const piece of news.pieces) watch.onPiece(toPiece(piece))
    if (news.isOver && watch.id !== undefined) endWatch(news.ask)
  }

  function endWatch(ask: string): void {
    const watch = watches.get(ask)
    if (watches.delete(ask)) watch?.onEnd?.()
  }

  function lose(isMeant: (who: string) => boolean): void {
    isNew = true
    for (const [id, { who }] of elsewhere) {
      if (!isMeant(who)) continue
      elsewhere.delete(id)
      listeners.tell({ type: 'gone', id })
    }
    for (const [ask, { owner }] of watches) if (owner !== undefined && isMeant(owner)) endWatch(ask)
  }

  function listen(): void {
    if (listening === 0) return
    circle.tell({ type: 'listening', isNew })
    isNew = false
  }

  function wish(): void {
    listen()
    for (const [ask, watch] of watches) {
      if (watch.id !== undefined && watch.until < now()) endWatch(ask)
      else circle.tell({ type: 'watching', ask, id: watch.id }, watch.owner)
    }
  }

  const stops = [circle.onLetter(take), circle.onGone(lose)]
  const again = setInterval(wish, wishMs).unref()

  function watchElsewhere(watch: Watch): () => void {
    const ask = `${circle.self}:${asks++}`
    watches.set(ask, watch)
    circle.tell({ type: 'watching', ask, id: watch.id }, watch.owner)
    // Whoever has it says so at once.
    const late = setTimeout(() => {
      if (watch.id !== undefined && watch.until < now()) endWatch(ask)
    }, ANSWER_MS + 1).unref()
    return () => {
      clearTimeout(late)
      watches.delete(ask)
    }
  }

  return {
    onEvent(callback) {
      const stopThere = listeners.add(callback)
      const stopHere = own.onEvent(callback)
      listening += 1
      if (listening === 1) listen()
      return () => {
        stopThere()
        stopHere()
        listening -= 1
        if (listening > 0) return
        elsewhere.clear()
        isNew = true
      }
    },
    open: () =>
      [...own.open(), ...[...elsewhere.values()].map(({ exchange }) => exchange)].toSorted(
        (one, other) => one.startedAt - other.startedAt,
      ),
    watch(id, onPiece, onEnd) {
      if (id !== undefined && own.open().some((one) => one.id === id))
        return own.watch(id, onPiece, onEnd)
      const owner = id === undefined ? undefined : elsewhere.get(id)?.who
      const stopThere = watchElsewhere({ id, onPiece, onEnd, owner, until: now() + ANSWER_MS })
      if (id !== undefined) return stopThere
      const stopHere = own.watch(id, onPiece, onEnd)
      return () => {
        stopThere()
        stopHere()
      }
    },
    close() {
      clearInterval(again)
      teller.close()
      for (const stop of stops) stop()
    },
  }
}

const toPiece = ({ id, kind, base64, at }: SentPiece): LivePiece => ({
  id,
  kind,
  at,
  bytes: Buffer.from(base64, 'base64'),
})

function dropOldest<T>(map: Map<string, T>, max: number): void {
  for (const oldest of map.keys()) {
    if (map.size <= max) return
    map.delete(oldest)
  }
}
