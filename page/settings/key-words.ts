/** Keys in words, and what was typed → an order for one. Neighbours: `keys-tab.tsx`, `new-key.tsx`. Knows no component. */
import type { KeyOrder, KeyView } from '../../src/api/types.ts'
import { plural, toCount } from '../core/format.ts'

/** `60/minute · 5M tokens per month · 4 at once` */
export function toLimits({ rate, budget, concurrent }: KeyView): string {
  const all = [
    rate,
    budget &&
      `${toCount(budget.tokens)} tokens ${budget.per === 'ever' ? 'in all' : `per ${budget.per}`}`,
    concurrent === undefined ? undefined : `${concurrent} at once`,
  ].filter((one) => one !== undefined)
  return all.length === 0 ? 'none' : all.join(' · ')
}

export function toUsage({ usedTokens, budget }: KeyView): string {
  if (budget === undefined) return plural(usedTokens, 'token')
  const part = Math.min(100, Math.round((usedTokens / budget.tokens) * 100))
  return `${plural(usedTokens, 'token')}, ${part} %`
}

/** As the fields of the form hold them. */
export interface KeyDraft {
  readonly name: string
  readonly models: string
  readonly requests: string
  readonly per: string
  readonly tokens: string
  readonly period: string
  readonly concurrent: string
}

export const EMPTY_DRAFT: KeyDraft = {
  name: '',
  models: '',
  requests: '',
  per: 'minute',
  tokens: '',
  period: 'month',
  concurrent: '',
}

type Budget = NonNullable<KeyOrder['budget']>

/** What is left empty is not limited; the gateway checks the rest. */
export function toOrder(draft: KeyDraft): KeyOrder {
  const models = draft.models.split(/[\s,]+/).filter((one) => one !== '')
  return {
    name: draft.name.trim(),
    ...(models.length === 0 ? {} : { models }),
    ...(draft.requests === '' ? {} : { rate: `${draft.requests}/${draft.per}` }),
    ...(draft.tokens === ''
      ? {}
      : { budget: { tokens: Number(draft.tokens), per: draft.period as Budget['per'] } }),
    ...(draft.concurrent === '' ? {} : { concurrent: Number(draft.concurrent) }),
  }
}
