/**
 * A circuit per upstream: after so many failures in a row nothing is sent for a while, then one request
 * as a probe. Neighbours: `exchange/` asks before each attempt and says how it went. Knows no request.
 */
import type { BreakerSettings } from './settings.ts'

type CircuitState = 'closed' | 'open' | 'half-open'

export interface Breaker {
  readonly state: CircuitState
  /** When it became so, in milliseconds since 1970; `undefined`: it was never otherwise. */
  readonly since: number | undefined
  /** Whether a request may go out. Half open, the first that asks is the probe. */
  tryPass(): boolean
  /** Milliseconds until it may be tried again. */
  readonly waitMs: number
  succeeded(): void
  failed(): void
  /** The request was given up before it could tell anything. */
  released(): void
}

export function createBreaker(
  { failures, cooldown }: BreakerSettings,
  now: () => number = Date.now,
): Breaker {
  let inRow = 0
  let openUntil = 0
  let isProbing = false
  let openedAt: number | undefined
  let closedAt: number | undefined

  const stateNow = (): CircuitState => {
    if (openUntil === 0) return 'closed'
    return now() < openUntil ? 'open' : 'half-open'
  }

  return {
    get state() {
      return stateNow()
    },
    get since() {
      const state = stateNow()
      if (state === 'closed') return closedAt
      return state === 'open' ? openedAt : openUntil
    },
    get waitMs() {
      return Math.max(0, openUntil - now())
    },
    tryPass() {
      if (failures === 0) return true
      const state = stateNow()
      if (state === 'closed') return true
      if (state === 'open' || isProbing) return false
      isProbing = true
      return true
    },
    succeeded() {
      inRow = 0
      if (openUntil !== 0) closedAt = now()
      openUntil = 0
      isProbing = false
    },
    failed() {
      inRow += 1
      if (failures > 0 && (isProbing || inRow >= failures)) {
        if (openUntil === 0 || isProbing) openedAt = now()
        openUntil = now() + cooldown
      }
      isProbing = false
    },
    released() {
      isProbing = false
    },
  }
}
