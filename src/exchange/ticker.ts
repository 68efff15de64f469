/**
 * One clock for all time limits: a timer per chunk or per exchange would cost more than the chunk.
 * Everything that has a deadline is asked ten times a second whether it has passed. Neighbours:
 * `attempt.ts` and `relay.ts` have deadlines. Knows none of them.
 */
import { createBag } from '../base/bag.ts'

export interface Ticker {
  /** Asks `check` with the time until the returned function is called. */
  watch(check: (now: number) => void): () => void
  now(): number
}

const INTERVAL_MS = 100
/** So long it goes on with nobody to ask: starting a timer for each request costs more than a few ticks. */
const IDLE_TICKS = 20

/** Milliseconds that only go forward. */
const monotonic = (): number => performance.now()

export function createTicker(now: () => number = monotonic): Ticker {
  const checks = createBag<(now: number) => void>()
  let timer: NodeJS.Timeout | undefined
  let idleTicks = 0

  function tick(): void {
    if (checks.size() === 0 && ++idleTicks > IDLE_TICKS) {
      clearInterval(timer)
      timer = undefined
      return
    }
    const time = now()
    checks.forEach((check) => check(time))
  }

  return {
    now,
    watch(check) {
      idleTicks = 0
      timer ??= setInterval(tick, INTERVAL_MS).unref()
      return checks.add(check)
    },
  }
}
