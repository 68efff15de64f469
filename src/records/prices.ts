/**
 * What an answer used → what it cost. Neighbours: `recorder.ts` puts it into the row; `price-table.ts` has the prices that
 * come along. A price is for a million tokens and a cost in millionths of a dollar, so that one is the other times tokens.
 */
import { matches } from '../base/star-pattern.ts'
import type { Usage } from '../event/usage.ts'
import type { Price } from '../store/settings.ts'
import { KNOWN_PRICES } from './price-table.ts'

/** In millionths of a US dollar; `undefined` where no price is known, or nothing of the usage. */
export type CostOf = (model: string | undefined, usage: Usage | undefined) => number | undefined

/** Names are an upstream's own words: so many are remembered. */
const MAX_MODELS = 1000

/** `own`: in front of those that come along. */
export function createCosts(own: readonly Price[]): CostOf {
  const rows = [...own, ...KNOWN_PRICES].map((price) => ({
    price,
    pattern: price.model.toLowerCase(),
  }))
  const known = new Map<string, Price | undefined>()

  function priceOf(model: string): Price | undefined {
    if (known.has(model)) return known.get(model)
    const names = namesOf(model)
    const price = rows.find(({ pattern }) => names.some((name) => matches(pattern, name)))?.price
    if (known.size >= MAX_MODELS) known.clear()
    known.set(model, price)
    return price
  }

  return (model, usage) => {
    if (model === undefined || usage === undefined) return undefined
    const price = priceOf(model)
    return price === undefined ? undefined : toCost(price, usage, /claude/i.test(model))
  }
}

/** Where a price says nothing of the cache: Anthropic reads for a tenth and writes for a quarter more, others halve it. */
function toCost(price: Price, usage: Usage, isAnthropic: boolean): number {
  const { input, output } = price
  const cacheRead = price.cacheRead ?? input * (isAnthropic ? 0.1 : 0.5)
  const cacheWrite = price.cacheWrite ?? input * (isAnthropic ? 1.25 : 1)
  const cost =
    count(usage.inputTokens) * input +
    count(usage.cacheReadTokens) * cacheRead +
    count(usage.cacheWriteTokens) * cacheWrite +
    count(usage.outputTokens) * output
  return Math.round(cost)
}

/** What an upstream says of itself may be anything. */
const count = (tokens: number | undefined): number =>
  tokens !== undefined && Number.isFinite(tokens) && tokens > 0 ? tokens : 0

/** Resellers put a vendor in front: `anthropic/claude-…`, `us.anthropic.claude-…-v1:0`. */
function namesOf(model: string): readonly string[] {
  const name = model.toLowerCase()
  const behind = name.slice(name.lastIndexOf('/') + 1)
  const vendor = /^(?:[a-z]{2,6}\.)?(?:anthropic|openai|mistral|deepseek|meta|qwen)\.(.+)$/.exec(
    behind,
  )
  return [name, behind, vendor?.[1] ?? behind]
}
