/**
 * Numbers of several rounds → one number and how far they lie apart. Neighbours: everybody who measures here. Pure.
 */

/** What several rounds gave. The median is what counts; low and high say how much to believe it. */
export interface Spread {
  readonly median: number
  readonly low: number
  readonly high: number
  readonly rounds: readonly number[]
}

export interface Quantiles {
  readonly p50: number
  readonly p99: number
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const upper = sorted[sorted.length >> 1] ?? Number.NaN
  const lower = sorted[(sorted.length - 1) >> 1] ?? Number.NaN
  return (lower + upper) / 2
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

/** `undefined` where nothing was measured. */
export const toQuantiles = (values: readonly number[]): Quantiles | undefined =>
  values.length === 0 ? undefined : { p50: median(values), p99: quantile(values, 0.99) }

/** Rounds in which something is not known are left out; `undefined` where that is all of them. */
export function toSpread(values: readonly (number | undefined)[]): Spread | undefined {
  const rounds = values.filter(
    (value): value is number => value !== undefined && Number.isFinite(value),
  )
  if (rounds.length === 0) return undefined
  return {
    median: median(rounds),
    low: Math.min(...rounds),
    high: Math.max(...rounds),
    rounds,
  }
}

/** Round by round, so that what was slow for both does not count. */
export const pairRounds = (
  own: readonly (number | undefined)[],
  other: readonly (number | undefined)[],
  toOne: (own: number, other: number) => number,
): Spread | undefined =>
  toSpread(
    own.map((value, round) => {
      const beside = other[round]
      return value === undefined || beside === undefined ? undefined : toOne(value, beside)
    }),
  )
