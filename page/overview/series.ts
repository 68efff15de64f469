/**
 * Buckets of the API → lines over time, each step with a value. Neighbours: `plots.ts` says which plots there are, `plot.tsx`
 * draws one. Knows no picture.
 */
import type { StatsBucket } from '../../src/store/query.ts'

export interface Line {
  readonly label: string
  /** One for each time; `null` where there is nothing to say. */
  readonly values: readonly (number | null)[]
}

/** Beside one another more cannot be told apart. */
export const MAX_LINES = 8
const OTHERS = '(others)'
const NAMELESS = '(none)'

/** What a bucket says; `undefined` where it says nothing. */
export type Read = (bucket: StatsBucket) => number | undefined

/** `isCount`: a step without exchanges is zero; else it is a gap. */
export function toLine(
  label: string,
  buckets: readonly StatsBucket[],
  {
    times,
    read,
    isCount,
  }: { readonly times: readonly number[]; readonly read: Read; readonly isCount: boolean },
): Line {
  const sums = new Map<number, number>()
  for (const bucket of buckets) {
    const value = read(bucket)
    if (value !== undefined) sums.set(bucket.at, (sums.get(bucket.at) ?? 0) + value)
  }
  return { label, values: times.map((at) => sums.get(at) ?? (isCount ? 0 : null)) }
}

/** The buckets of each value, the largest first; those beyond the eighth together. */
export function toGroups(
  buckets: readonly StatsBucket[],
): readonly (readonly [name: string, buckets: readonly StatsBucket[]])[] {
  const all = new Map<string, StatsBucket[]>()
  for (const bucket of buckets) {
    const name = bucket.of ?? NAMELESS
    const list = all.get(name)
    if (list === undefined) all.set(name, [bucket])
    else list.push(bucket)
  }
  const sorted = [...all].toSorted(([, a], [, b]) => countIn(b) - countIn(a))
  if (sorted.length <= MAX_LINES) return sorted
  const rest = sorted.slice(MAX_LINES - 1).flatMap(([, list]) => list)
  return [...sorted.slice(0, MAX_LINES - 1), [OTHERS, rest]]
}

const countIn = (buckets: readonly StatsBucket[]): number =>
  buckets.reduce((sum, { exchanges }) => sum + exchanges, 0)

/** Whether a name stands for one value that can be filtered by. */
export const isValue = (name: string): boolean => name !== OTHERS && name !== NAMELESS

export const sumOf = (
  counts: Readonly<Record<string, number | undefined>>,
  but: readonly string[] = [],
): number =>
  Object.entries(counts).reduce(
    (sum, [type, count]) => (but.includes(type) ? sum : sum + (count ?? 0)),
    0,
  )

/** A value between two gaps is on no line: it is a point, or nobody would see it. */
export function toLonely(values: ArrayLike<number | null | undefined>): number[] | null {
  const found = Array.from(values, (value, at) =>
    value != null && values[at - 1] == null && values[at + 1] == null ? at : -1,
  ).filter((at) => at !== -1)
  return found.length === 0 ? null : found
}
