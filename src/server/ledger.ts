/**
 * What each key has used: requests for its rate, tokens for its budget, exchanges under way. In memory;
 * several workers tell each other what was spent (`workers.ts`). Neighbours: `gateway.ts` asks before an
 * exchange and tells after it. Knows no request.
 */
import type { KeySettings } from '../config/settings.ts'
import type { StreamFault } from '../event/fault.ts'

/** With what it is counted by: a worker that has not met the key yet must count it alike. */
export interface Spent {
  readonly key: string
  readonly requests: number
  readonly tokens: number
  /** The day or month that the tokens belong to; empty for a budget without one. */
  readonly period: string
  readonly rate?: KeySettings['rate']
}

export interface Ledger {
  /** Takes one request of that key; a fault when it has none left. What `isFree` is not held to its rate. */
  begin(
    key: KeySettings,
    isFree?: boolean,
  ): { readonly fault: StreamFault; readonly retryAfter?: number } | undefined
  end(key: KeySettings, tokens: number): void
  /** Another worker's spending. */
  add(spent: Spent): void
  /** What a ledger that begins now must add to stand where this one does. */
  standing(): readonly Spent[]
}

interface Account {
  /** Requests that may still be made; fills up again with time. Other workers may bring it below zero. */
  credit: number
  filledAt: number
  rate: KeySettings['rate']
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
      const filledAt = now()
      account = { credit: Infinity, filledAt, rate: undefined, tokens: 0, period: '', open: 0 }
      accounts.set(name, account)
    }
    return account
  }

  function fill(account: Account, rate: KeySettings['rate']): void {
    const time = now()
    const gained = rate === undefined ? 0 : ((time - account.filledAt) * rate.requests) / rate.per
    account.credit =
      rate === undefined ? Infinity : Math.min(rate.requests, account.credit + gained)
    account.rate = rate
    account.filledAt = time
  }

  /** What the key has used up to now, by its settings of now. */
  function openAccount({ name, rate, budget }: KeySettings): Account {
    const account = accountOf(name)
    fill(account, rate)
    const period = periodOf(budget?.per, now())
    if (period !== account.period) Object.assign(account, { period, tokens: 0 })
    return account
  }

  return {
    begin(key, isFree = false) {
      const account = openAccount(key)
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
      if (!isFree && rate !== undefined && account.credit < 1 - ROUNDING)
        return {
          retryAfter: toSeconds(((1 - account.credit) * rate.per) / rate.requests),
          fault: {
            kind: 'rate-limit',
            message: `Key "${key.name}" may make ${rate.requests} requests in ${rate.per / 1000} s`,
          },
        }
      account.open += 1
      if (isFree) return undefined
      account.credit -= 1
      onSpent({ key: key.name, requests: 1, tokens: 0, period: account.period, rate })
      return undefined
    },
    end(key, tokens) {
      const account = openAccount(key)
      account.open -= 1
      account.tokens += tokens
      const { period, rate } = account
      if (tokens > 0) onSpent({ key: key.name, requests: 0, tokens, period, rate })
    },
    add({ key, requests, tokens, period, rate }) {
      const account = accountOf(key)
      fill(account, rate)
      account.credit -= requests
      // Periods sort by time. What comes late from the one before is over.
      if (period > account.period) Object.assign(account, { period, tokens: 0 })
      if (period === account.period) account.tokens += tokens
    },
    standing: () =>
      [...accounts].map(([key, account]) => {
        const { rate, tokens, period } = account
        fill(account, rate)
        const requests = rate === undefined ? 0 : rate.requests - account.credit
        return { key, requests, tokens, period, rate }
      }),
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
