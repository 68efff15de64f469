/**
 * What each key has used: requests for its rate, tokens for its budget, exchanges under way. In memory; several
 * processes and gateways tell each other (`share-books.ts`), and `kept-books.ts` writes it down. Neighbours:
 * `server/gateway.ts` asks before an exchange and tells after it. Knows no request.
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

/** How many exchanges, by the name of their key. */
export type UnderWay = Readonly<Record<string, number>>

/** What others have under way is told again in half of this; it counts no longer than this, so that nothing is stuck. */
export const UNDER_WAY_MS = 20_000

export interface Ledger {
  /** Takes one request of that key; a fault when it has none left. What `isFree` is not held to its rate. */
  begin(
    key: KeySettings,
    isFree?: boolean,
  ): { readonly fault: StreamFault; readonly retryAfter?: number } | undefined
  end(key: KeySettings, tokens: number): void
  /** Another's spending. */
  add(spent: Spent): void
  /** How many exchanges of keys with such a limit are under way there, all of them; holds for `UNDER_WAY_MS`. */
  setUnderWay(who: string, underWay: UnderWay): void
  /** It is gone, and nothing is under way there any more. */
  forget(isMeant: (who: string) => boolean): void
  /** Here, for the others: keys whose exchanges at once are limited. */
  underWay(): UnderWay
  /** What a ledger that begins now must add to stand where this one does. */
  standing(): readonly Spent[]
}

interface Account {
  /** Requests that may still be made; fills up again with time. Other workers may bring it below zero. */
  credit: number
  filledAt: number
  rate: KeySettings['rate']
  /** By day or month: what comes late belongs to where it was spent. */
  readonly tokens: Map<string, number>
  open: number
  /** Whether others must know how many are under way. */
  isLimited: boolean
}

interface Others {
  readonly underWay: UnderWay
  readonly until: number
}

export function createLedger(
  onSpent: (spent: Spent) => void = () => {},
  now: () => number = Date.now,
  onUnderWay: () => void = () => {},
): Ledger {
  const accounts = new Map<string, Account>()
  const others = new Map<string, Others>()

  function openElsewhere(key: string): number {
    let sum = 0
    for (const { underWay, until } of others.values()) if (until > now()) sum += underWay[key] ?? 0
    return sum
  }

  function accountOf(name: string): Account {
    let account = accounts.get(name)
    if (account === undefined) {
      const filledAt = now()
      account = {
        credit: Infinity,
        filledAt,
        rate: undefined,
        tokens: new Map(),
        open: 0,
        isLimited: false,
      }
      accounts.set(name, account)
    }
    return account
  }

  function fill(account: Account, rate: KeySettings['rate']): void {
    const time = now()
    // A clock that is put back takes nothing away.
    const passed = Math.max(0, time - account.filledAt)
    const gained = rate === undefined ? 0 : (passed * rate.requests) / rate.per
    account.credit =
      rate === undefined ? Infinity : Math.min(rate.requests, account.credit + gained)
    account.rate = rate
    account.filledAt = time
  }

  /** What the key has used up to now, by its settings of now. */
  function openAccount({ name, rate }: KeySettings): Account {
    const account = accountOf(name)
    fill(account, rate)
    return account
  }

  function book(account: Account, period: string, tokens: number): void {
    account.tokens.set(period, (account.tokens.get(period) ?? 0) + tokens)
    if (account.tokens.size <= MAX_PERIODS) return
    // The one without an end has no name, and stays.
    const [oldest] = [...account.tokens.keys()].filter((one) => one !== '').toSorted(byEnd)
    account.tokens.delete(oldest ?? '')
  }

  function tellUnderWay(account: Account): void {
    account.isLimited = true
    onUnderWay()
  }

  return {
    begin(key, isFree = false) {
      const account = openAccount(key)
      const { rate, budget, concurrent } = key
      const period = periodOf(budget?.per, now())
      if (budget !== undefined && (account.tokens.get(period) ?? 0) >= budget.tokens)
        return {
          fault: {
            kind: 'billing',
            message: `Key "${key.name}" has used its budget of ${budget.tokens} tokens (${SPAN[budget.per]})`,
          },
        }
      if (concurrent !== undefined && account.open + openElsewhere(key.name) >= concurrent)
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
      if (concurrent !== undefined) tellUnderWay(account)
      if (isFree) return undefined
      account.credit -= 1
      onSpent({ key: key.name, requests: 1, tokens: 0, period, rate })
      return undefined
    },
    end(key, tokens) {
      const account = openAccount(key)
      account.open -= 1
      if (account.isLimited) onUnderWay()
      if (tokens <= 0) return
      const period = periodOf(key.budget?.per, now())
      const { rate } = account
      book(account, period, tokens)
      onSpent({ key: key.name, requests: 0, tokens, period, rate })
    },
    add({ key, requests, tokens, period, rate }) {
      const account = accountOf(key)
      fill(account, rate)
      account.credit -= requests
      if (tokens !== 0) book(account, period, tokens)
    },
    setUnderWay(who, underWay) {
      if (Object.keys(underWay).length === 0) others.delete(who)
      else others.set(who, { underWay, until: now() + UNDER_WAY_MS })
    },
    forget(isMeant) {
      for (const who of others.keys()) if (isMeant(who)) others.delete(who)
    },
    underWay: () =>
      Object.fromEntries(
        [...accounts]
          .filter(([, { isLimited, open }]) => isLimited && open > 0)
          .map(([name, { open }]) => [name, open]),
      ),
    standing: () =>
      [...accounts].flatMap(([key, account]): Spent[] => {
        const { rate, tokens } = account
        fill(account, rate)
        const requests = rate === undefined ? 0 : rate.requests - account.credit
        const spent = [...tokens].map(([period, sum]) => {
          return { key, requests: 0, tokens: sum, period, rate }
        })
        return requests > 0 ? [{ key, requests, tokens: 0, period: '', rate }, ...spent] : spent
      }),
  }
}

/** Of one key: today, this month, and the time when its settings were others. */
const MAX_PERIODS = 6

/** A month ends with its last day, and not before its first. */
function byEnd(one: string, other: string): number {
  const [a, b] = [one.padEnd(10, '~'), other.padEnd(10, '~')]
  return a < b ? -1 : a > b ? 1 : 0
}

/** Parts of a request add up to almost a whole one; whoever waited as long as it was told is let in. */
const ROUNDING = 1e-6

const toSeconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1000 - ROUNDING))

const SPAN = { day: 'a day', month: 'a month', ever: 'in all' } as const

/** The day or month in UTC that a moment is in. */
export function periodOf(per: 'day' | 'month' | 'ever' | undefined, time: number): string {
  if (per === undefined || per === 'ever') return ''
  return new Date(time).toISOString().slice(0, per === 'day' ? 10 : 7)
}
