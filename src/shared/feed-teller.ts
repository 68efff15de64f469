/**
 * What happens here → those elsewhere who look: events while anybody listens, bytes of one exchange to whoever asked.
 * Neighbours: `share-feed.ts` hears what this tells. Gathered in steps, and bounded: who asks for more than fits is told
 * that it is over, and the exchange goes on untouched.
 */
import type { Feed, FeedEvent, LivePiece } from '../store/feed.ts'
import type { Circle, Letter, SentPiece } from './circle.ts'

export interface FeedTeller {
  close(): void
}

interface TellerOptions {
  readonly now: () => number
  /** For how long a wish holds. */
  readonly holdsMs: number
}

const STEP_MS = 50
const MAX_EVENTS = 5000
const MAX_WATCHES = 64
/** Of one watch, in one step. */
const MAX_STEP_BYTES = 2 * 1024 * 1024

interface Told {
  readonly to: string
  readonly stop: () => void
  until: number
  pieces: SentPiece[]
  bytes: number
  isOver: boolean
}

export function createFeedTeller(
  own: Feed,
  circle: Circle,
  { now, holdsMs }: TellerOptions,
): FeedTeller {
  const listeners = new Map<string, number>()
  const watches = new Map<string, Told>()
  let events: FeedEvent[] = []
  let stopEvents: (() => void) | undefined
  let step: NodeJS.Timeout | undefined

  const soon = (): void => void (step ??= setTimeout(flush, STEP_MS).unref())

  function hear(event: FeedEvent): void {
    if (events.length < MAX_EVENTS) events.push(event)
    soon()
  }

  function flush(): void {
    step = undefined
    if (events.length > 0) {
      const [only] = listeners.size === 1 ? listeners.keys() : []
      circle.tell({ type: 'events', events }, only)
      events = []
    }
    for (const [ask, told] of watches) {
      if (told.pieces.length === 0 && !told.isOver) continue
      const { to, pieces, isOver } = told
      circle.tell({ type: 'pieces', ask, pieces, isOver }, to)
      told.pieces = []
      told.bytes = 0
      if (isOver) drop(ask)
    }
  }

  function drop(ask: string): void {
    watches.get(ask)?.stop()
    watches.delete(ask)
  }

  function listen(who: string, isNew: boolean): void {
    const isKnown = listeners.has(who)
    listeners.set(who, now() + holdsMs)
    stopEvents ??= own.onEvent(hear)
    if (isKnown && !isNew) return
    const begun = own.open().map((exchange): FeedEvent => ({ type: 'begun', exchange }))
    if (begun.length > 0) circle.tell({ type: 'events', events: begun }, who)
  }

  function watch(ask: string, id: string | undefined, to: string): void {
    const known = watches.get(ask)
    if (known !== undefined) {
      known.until = now() + holdsMs
      // It may be silent for long: a call waits for a person.
      return circle.tell({ type: 'pieces', ask, pieces: [], isOver: false }, to)
    }
    if (id !== undefined && !own.open().some((exchange) => exchange.id === id)) return
    // Also says that it is here.
    const isOver = watches.size >= MAX_WATCHES
    circle.tell({ type: 'pieces', ask, pieces: [], isOver }, to)
    if (isOver) return
    let stop = (): void => {}
    const until = now() + holdsMs
    const told: Told = { to, stop: () => stop(), until, pieces: [], bytes: 0, isOver: false }
    watches.set(ask, told)
    stop = own.watch(
      id,
      (piece) => add(told, piece),
      () => {
        told.isOver = true
        soon()
      },
    )
  }

  function add(told: Told, { id, kind, bytes, at }: LivePiece): void {
    if (told.isOver) return
    told.bytes += bytes.length
    // A gap in the middle would be read as something that nobody said.
    if (told.bytes > MAX_STEP_BYTES) told.isOver = true
    else told.pieces.push({ id, kind, at, base64: Buffer.from(bytes).toString('base64') })
    soon()
  }

  function forget(isMeant: (who: string) => boolean): void {
    for (const [ask, { to }] of watches) if (isMeant(to)) drop(ask)
    unlisten((who) => isMeant(who))
  }

  function unlisten(isMeant: (who: string, until: number) => boolean): void {
    for (const [who, until] of listeners) if (isMeant(who, until)) listeners.delete(who)
    if (listeners.size > 0) return
    stopEvents?.()
    stopEvents = undefined
    events = []
  }

  const stops = [
    circle.onLetter(({ from, news }: Letter) => {
      if (news.type === 'listening') listen(from, news.isNew)
      else if (news.type === 'watching') watch(news.ask, news.id, from)
    }),
    circle.onGone(forget),
  ]
  const tidy = setInterval(() => {
    unlisten((_, until) => until < now())
    for (const [ask, { until }] of watches) if (until < now()) drop(ask)
  }, holdsMs / 3).unref()

  return {
    close() {
      clearInterval(tidy)
      clearTimeout(step)
      stopEvents?.()
      for (const ask of watches.keys()) drop(ask)
      for (const stop of stops) stop()
    },
  }
}
