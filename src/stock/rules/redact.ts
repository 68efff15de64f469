/**
 * Patterns → a mask over texts and over all texts within a value. Neighbours: `act.ts` uses it. What has no match stays
 * the same object, so that a caller sees whether anything changed.
 */
import { RE2JS } from 're2js'
import { isObject } from '../../base/json.ts'

export interface Mask {
  text(text: string): string
  /** Names of fields stay: a call with other names would be another call. */
  value<Value>(value: Value): Value
}

export function createMask(patterns: readonly RE2JS[], instead: string): Mask {
  const replacement = RE2JS.quoteReplacement(instead)
  // A test alone is many times faster than a replacement, and mostly there is nothing.
  const text = (from: string): string =>
    patterns.reduce(
      (one, pattern) => (pattern.test(one) ? pattern.matcher(one).replaceAll(replacement) : one),
      from,
    )
  const within = (value: unknown): unknown => {
    if (typeof value === 'string') return text(value)
    if (Array.isArray(value)) return sameOr(value, value.map(within))
    if (!isObject(value)) return value
    const inner = Object.values(value)
    const masked = inner.map(within)
    if (sameOr(inner, masked) === inner) return value
    return Object.fromEntries(Object.keys(value).map((key, at) => [key, masked[at]]))
  }
  return { text, value: <Value>(value: Value) => within(value) as Value }
}

const sameOr = (before: readonly unknown[], after: readonly unknown[]): readonly unknown[] =>
  before.every((one, at) => one === after[at]) ? before : after
