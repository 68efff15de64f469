/**
 * One clock for all time limits: a timer per chunk or per exchange would cost more than the chunk.
 * Everything that has a deadline is asked ten times a second whether it has passed. Neighbours:
 * `attempt.ts` and `relay.ts` have deadlines. Knows none of them.
 */
export interface Ticker {
  /** Asks `check` with the time until the returned function is called. */
  watch(check: (now: number) => void): () => void
  now(): number
}

const INTERVAL_MS = 100

/** Milliseconds that only go forward. */
const monotonic = (): number => performance.now()

export function createTicker(now: () => number = monotonic): Ticker {
  const checks = new Set<(now: number) => void>()
  let timer: NodeJS.Timeout | undefined

  function tick(): void {
    const time = now()
    for (const check of checks) check(time)
  }

  return {
    now,
    watch(check) {
      checks.add(check)
      timer ??= setInterval(tick, INTERVAL_MS)
      return () => {
        checks.delete(check)
        if (checks.size > 0 || timer === undefined) return
        clearInterval(timer)
        timer = undefined
      }
    },
  }
}
