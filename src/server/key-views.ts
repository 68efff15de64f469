/**
 * Keys → what is shown of them: never a hash. Neighbours: `api-keys.ts`.
 */
import type { KeyView } from '../api/types.ts'
import type { KeySettings } from '../config/settings.ts'
import { periodOf, type Spent } from '../shared/ledger.ts'
import type { GatewayKey } from '../store/store.ts'

export interface KeyFacts {
  where(name: string): string | undefined
  lastUsedAt(name: string): number | undefined
  readonly spent: readonly Spent[]
  /** Names of the config. */
  readonly taken: ReadonlySet<string>
}

export const toConfigKey = (key: KeySettings, facts: KeyFacts): KeyView => ({
  ...toCommon(key),
  from: 'config',
  where: facts.where(key.name),
  usedTokens: usedTokens(key, facts),
  lastUsedAt: facts.lastUsedAt(key.name),
})

export function toMadeKey(key: GatewayKey, facts: KeyFacts): KeyView {
  const { name, limits, createdAt, createdBy, revokedAt, revokedBy } = key
  const isTaken = facts.taken.has(name) && revokedAt === undefined
  return {
    ...toCommon({ name, ...limits }),
    from: 'page',
    usedTokens: usedTokens({ name, budget: limits.budget }, facts),
    // The name of one that does not hold may be that of another.
    lastUsedAt: facts.taken.has(name) ? undefined : facts.lastUsedAt(name),
    createdAt,
    createdBy,
    revokedAt,
    revokedBy,
    note: isTaken ? TAKEN : undefined,
  }
}

const TAKEN =
  'A key of the config has the same name, so that nobody comes in with this one: revoke it and make one under another name'

type Limits = Pick<KeyView, 'name' | 'models' | 'budget' | 'concurrent'> & {
  readonly rate?: KeySettings['rate']
}

const toCommon = ({
  name,
  models,
  rate,
  budget,
  concurrent,
}: Limits): Pick<KeyView, 'name' | 'models' | 'rate' | 'budget' | 'concurrent'> => ({
  name,
  models,
  rate: rate === undefined ? undefined : toRateWords(rate),
  budget,
  concurrent,
})

const PERIODS: Readonly<Record<number, string>> = {
  1000: 'second',
  60_000: 'minute',
  3_600_000: 'hour',
}

/** As the config says it, and as an order takes it. */
const toRateWords = ({ requests, per }: { readonly requests: number; readonly per: number }) =>
  `${requests}/${PERIODS[per] ?? `${per}ms`}`

function usedTokens(
  { name, budget }: Pick<KeySettings, 'name' | 'budget'>,
  { spent }: KeyFacts,
): number {
  const period = budget === undefined ? undefined : periodOf(budget.per, Date.now())
  const its = spent.filter(
    (one) => one.key === name && (period === undefined || one.period === period),
  )
  return its.reduce((sum, { tokens }) => sum + tokens, 0)
}
