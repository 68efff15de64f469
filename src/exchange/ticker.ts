/**
 * One clock for all time limits: a timer per chunk or per exchange would cost more than the chunk.
 * Everything that has a deadline is asked ten times a second whether it has passed. Neighbours:
 * `attempt.ts` and `relay.ts` have deadlines. Knows none of them.
 */
import { createBag, type Place } from '../base/bag.ts'

export interface Ticker {
  /** Asks it with the time, until it is taken out by what this gives back. */
  watch(timed: Timed): Place<Timed>
  unwatch(place: Place<Timed>): void
  now(): number
}

/** Whoever has a deadline. */
export interface Timed {
  look(now: number): void
}

const INTERVAL_MS = 100
/** So long it goes on with nobody to ask: starting a timer for each request costs more than a few ticks. */
const IDLE_TICKS = 20

/** Milliseconds that only go forward. */
const monotonic = (): number => performance.now()

export function createTicker(now: () => number = monotonic): Ticker {
  const all = createBag<Timed>()
  let timer: NodeJS.Timeout | undefined
  let idleTicks = 0

  function tick(): void {
    if (all.size() === 0 && ++idleTicks > IDLE_TICKS) {
      clearInterval(timer)
      timer = undefined
      return
    }
    const time = now()
    all.forEach((timed) => timed.look(time))
  }

  return {
    now,
    watch(timed) {
      idleTicks = 0
      timer ??= setInterval(tick, INTERVAL_MS).unref()
      return all.add(timed)
    },
    unwatch: (place) => all.remove(place),
  }
}
