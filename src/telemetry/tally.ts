/**
 * Counts that are added up here until somebody reads the figures: prom-client checks, sorts and joins the labels at each.
 * Neighbours: `metrics.ts` counts, and has all of it told before it is read; `exchange-book.ts` does the same for whole exchanges.
 */
import type { Counter, Histogram } from 'prom-client'

type Labels<Name extends string> = Readonly<Record<Name, string>>

/** What is kept before it is told, so that it stays small where nobody ever reads. */
const MAX_KINDS = 256
const MAX_VALUES = 512

export interface Tally<Name extends string> {
  add(labels: Labels<Name>, value?: number): void
  /** Tells what was added since the last time. */
  flush(): void
}

export const sumUp = <Name extends string>(counter: Counter<Name>): Tally<Name> =>
  createTally<Name, { sum: number }>(
    () => ({ sum: 0 }),
    (kept, value) => {
      kept.sum += value
      return true
    },
    (labels, { sum }) => counter.inc(labels, sum),
  )

/** One by one: a histogram wants to see each. */
export const gather = <Name extends string>(histogram: Histogram<Name>): Tally<Name> =>
  createTally<Name, number[]>(
    () => [],
    (kept, value) => kept.push(value) < MAX_VALUES,
    (labels, values) => {
      for (const value of values) histogram.observe(labels, value)
    },
  )

function createTally<Name extends string, Kept>(
  create: () => Kept,
  /** Whether there is room for more. */
  keep: (kept: Kept, value: number) => boolean,
  tell: (labels: Labels<Name>, kept: Kept) => void,
): Tally<Name> {
  const kinds = new Map<string, { readonly labels: Labels<Name>; readonly kept: Kept }>()
  function flush(): void {
    for (const { labels, kept } of kinds.values()) tell(labels, kept)
    kinds.clear()
  }
  return {
    add(labels, value = 1) {
      // Whoever counts names them in the same order each time.
      const key = Object.values(labels).join('\n')
      let kind = kinds.get(key)
      if (kind === undefined) {
        if (kinds.size >= MAX_KINDS) flush()
        kind = { labels, kept: create() }
        kinds.set(key, kind)
      }
      if (keep(kind.kept, value)) return
      kinds.delete(key)
      tell(labels, kind.kept)
    },
    flush,
  }
}
