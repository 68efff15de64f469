/**
 * What tapes tell → whoever watches. Neighbours: `tape.ts` tells, `server/` passes it on. While nobody watches a tape asks
 * one field, and nothing is made to be told. Knows no store and no HTTP.
 */
import { createBag } from '../base/bag.ts'
import type { Feed, FeedEvent, LivePiece, OpenExchange } from '../store/feed.ts'

/** Somebody who is told the bytes of an exchange. */
export interface Watcher {
  readonly onPiece: (piece: LivePiece) => void
  readonly onEnd: (() => void) | undefined
}

/** An exchange that goes on, as the feed knows it. */
export interface Watched {
  readonly id: string
  toOpen(): OpenExchange
  /** Tells what has passed already, as far as it is at hand, and all that comes; gives back how to stop. */
  watch(watcher: Watcher): () => void
}

/** The feed, for those who tell. */
export interface FeedDesk extends Feed {
  /** Whether anybody is there to be told. A field: it is asked for each exchange. */
  readonly isHeard: boolean
  /** An exchange goes on from now; gives back how to say that it is over. */
  begin(exchange: Watched): () => void
  tell(event: FeedEvent): void
}

export function createFeed(): FeedDesk {
  const listeners = createBag<(event: FeedEvent) => void>()
  const open = createBag<Watched>()
  /** Those who watch all of them. */
  const everywhere = createBag<(exchange: Watched) => void>()

  const desk: FeedDesk & { isHeard: boolean } = {
    isHeard: false,
    begin(exchange) {
      const place = open.add(exchange)
      if (everywhere.size() > 0) everywhere.forEach((look) => look(exchange))
      return () => open.remove(place)
    },
    tell: (event) => listeners.forEach((callback) => callback(event)),
    onEvent(callback) {
      const place = listeners.add(callback)
      desk.isHeard = true
      return () => {
        listeners.remove(place)
        desk.isHeard = listeners.size() > 0
      }
    },
    open() {
      const all: OpenExchange[] = []
      open.forEach((exchange) => all.push(exchange.toOpen()))
      return all.toSorted((one, other) => one.startedAt - other.startedAt)
    },
    watch(id, onPiece, onEnd) {
      if (id === undefined) return watchAll(onPiece)
      let found: Watched | undefined
      open.forEach((exchange) => {
        if (exchange.id === id) found = exchange
      })
      if (found === undefined) {
        onEnd?.()
        return () => {}
      }
      return found.watch({ onPiece, onEnd })
    },
  }

  function watchAll(onPiece: Watcher['onPiece']): () => void {
    const stops = new Map<string, () => void>()
    const look = (exchange: Watched): void => {
      const onEnd = (): void => void stops.delete(exchange.id)
      stops.set(exchange.id, exchange.watch({ onPiece, onEnd }))
    }
    open.forEach(look)
    const place = everywhere.add(look)
    return () => {
      everywhere.remove(place)
      for (const stop of stops.values()) stop()
      stops.clear()
    }
  }

  return desk
}
