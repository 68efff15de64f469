/**
 * What each key has used: requests for its rate, tokens for its budget, exchanges under way. In memory;
 * several workers tell each other what was spent (`workers.ts`). Neighbours: `gateway.ts` asks before an
 * exchange and tells after it. Knows no request.
 */
import type { KeySettings } from '../config/settings.ts'
import type { StreamFault } from '../event/fault.ts'

export interface Spent {
  readonly key: string
  readonly requests: number
  readonly tokens: number
}

export interface Ledger {
  /** Takes one request of that key; a fault when it has none left. */
  begin(key: KeySettings): { readonly fault: StreamFault; readonly retryAfter?: number } | undefined
  end(key: KeySettings, tokens: number): void
  /** Another worker's spending. */
  add(spent: Spent): void
}

interface Account {
  /** Requests that may still be made; fills up again with time. */
  credit: number
  /** Requests that other workers took and that are not yet taken off. */
  debt: number
  filledAt: number
  tokens: number
  period: string
  open: number
}

export function createLedger(
  onSpent: (spent: Spent) => void = () => {},
  now: () => number = Date.now,
): Ledger {
  const accounts = new Map<string, Account>()

  function accountOf(name: string): Account {
    let account = accounts.get(name)
    if (account === undefined) {
      account = { credit: Infinity, debt: 0, filledAt: now(), tokens: 0, period: '', open: 0 }
      accounts.set(name, account)
    }
    return account
  }

  function fill(account: Account, { rate, budget }: KeySettings): void {
    const time = now()
    if (rate !== undefined) {
      const gained = ((time - account.filledAt) * rate.requests) / rate.per
      account.credit = Math.min(rate.requests, account.credit + gained) - account.debt
      account.debt = 0
    }
    account.filledAt = time
    const period = periodOf(budget?.per, time)
    if (period === account.period) return
    account.period = period
    account.tokens = 0
  }

  return {
    begin(key) {
      const account = accountOf(key.name)
      fill(account, key)
      const { rate, budget, concurrent } = key
      if (budget !== undefined && account.tokens >= budget.tokens)
        return {
          fault: {
            kind: 'billing',
            message: `Key "${key.name}" has used its budget of ${budget.tokens} tokens (${SPAN[budget.per]})`,
          },
        }
      if (concurrent !== undefined && account.open >= concurrent)
        return {
          retryAfter: 1,
          fault: {
            kind: 'rate-limit',
            message: `Key "${key.name}" has ${concurrent} requests under way, which is its limit`,
          },
        }
      if (rate !== undefined && account.credit < 1 - ROUNDING)
        return {
          retryAfter: toSeconds(((1 - account.credit) * rate.per) / rate.requests),
          fault: {
            kind: 'rate-limit',
            message: `Key "${key.name}" may make ${rate.requests} requests in ${rate.per / 1000} s`,
          },
        }
      account.credit -= 1
      account.open += 1
      onSpent({ key: key.name, requests: 1, tokens: 0 })
      return undefined
    },
    end(key, tokens) {
      const account = accountOf(key.name)
      account.open -= 1
      fill(account, key)
      account.tokens += tokens
      if (tokens > 0) onSpent({ key: key.name, requests: 0, tokens })
    },
    add({ key, requests, tokens }) {
      const account = accountOf(key)
      account.debt += requests
      account.tokens += tokens
    },
  }
}

/** Parts of a request add up to almost a whole one; whoever waited as long as it was told is let in. */
const ROUNDING = 1e-6

const toSeconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1000 - ROUNDING))

const SPAN = { day: 'a day', month: 'a month', ever: 'in all' } as const

/** The day or month in UTC that a moment is in. */
function periodOf(per: 'day' | 'month' | 'ever' | undefined, time: number): string {
  if (per === undefined || per === 'ever') return ''
  return new Date(time).toISOString().slice(0, per === 'day' ? 10 : 7)
}
