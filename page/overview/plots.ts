/** Which plots there are, what each is made of, and how its numbers are written. */
import type { StatsBucket } from '../../src/store/query.ts'
import { toCost, toCount, toDuration } from '../core/format.ts'
import { sumOf, toGroups, toLine, type Line, type Read } from './series.ts'

export interface PlotSpec {
  readonly id: string
  readonly title: string
  /** As one looks at all of it: a line for each part. */
  readonly parts: readonly { readonly label: string; readonly read: Read }[]
  /** As one compares models, routes or keys: one value for each. */
  readonly split: Read
  readonly splitSays?: string
  readonly isCount: boolean
  /** Its numbers are whole. */
  readonly isWhole?: boolean
  format(value: number): string
}

const whole = (value: number): string => toCount(value)
const fine = (value: number): string =>
  value === 0 || value >= 10 ? toCount(value) : value.toFixed(value < 1 ? 2 : 1)

export const PLOTS: readonly PlotSpec[] = [
  {
    id: 'exchanges',
    title: 'Exchanges',
    parts: [
      { label: 'all', read: (bucket) => bucket.exchanges },
      { label: 'errors', read: (bucket) => bucket.errors },
    ],
    split: (bucket) => bucket.exchanges,
    isCount: true,
    isWhole: true,
    format: whole,
  },
  {
    id: 'first-byte',
    title: 'Time to first byte',
    parts: [
      { label: 'p50', read: (bucket) => bucket.firstByteMs?.p50 },
      { label: 'p99', read: (bucket) => bucket.firstByteMs?.p99 },
    ],
    split: (bucket) => bucket.firstByteMs?.p50,
    splitSays: 'p50',
    isCount: false,
    format: toDuration,
  },
  {
    id: 'duration',
    title: 'Duration',
    parts: [
      { label: 'p50', read: (bucket) => bucket.durationMs?.p50 },
      { label: 'p99', read: (bucket) => bucket.durationMs?.p99 },
    ],
    split: (bucket) => bucket.durationMs?.p50,
    splitSays: 'p50',
    isCount: false,
    format: toDuration,
  },
  {
    id: 'tokens',
    title: 'Tokens',
    parts: [
      { label: 'in', read: (bucket) => bucket.inputTokens },
      { label: 'out', read: (bucket) => bucket.outputTokens },
    ],
    split: (bucket) => bucket.inputTokens + bucket.outputTokens,
    splitSays: 'in and out',
    isCount: true,
    isWhole: true,
    format: whole,
  },
  {
    id: 'cost',
    title: 'Cost',
    parts: [{ label: 'cost', read: (bucket) => bucket.cost }],
    split: (bucket) => bucket.cost,
    isCount: true,
    format: toCost,
  },
  {
    id: 'verdicts',
    title: 'Verdicts',
    parts: [
      {
        label: 'denied',
        read: ({ verdicts }) => (verdicts['deny'] ?? 0) + (verdicts['halt'] ?? 0),
      },
      { label: 'asked', read: ({ verdicts }) => verdicts['ask'] ?? 0 },
      {
        label: 'changed',
        read: ({ verdicts }) => sumOf(verdicts, ['deny', 'halt', 'ask', 'pass']),
      },
    ],
    split: ({ verdicts }) => (verdicts['deny'] ?? 0) + (verdicts['halt'] ?? 0),
    splitSays: 'denied',
    isCount: true,
    isWhole: true,
    format: whole,
  },
  {
    id: 'open',
    title: 'Open streams',
    parts: [{ label: 'on average', read: (bucket) => bucket.meanOpen }],
    split: (bucket) => bucket.meanOpen,
    splitSays: 'on average',
    isCount: true,
    format: fine,
  },
]

export const ERRORS_BY_UPSTREAM: Pick<PlotSpec, 'id' | 'title' | 'format'> = {
  id: 'errors',
  title: 'Errors per upstream',
  format: whole,
}

export function toLines(
  spec: PlotSpec,
  buckets: readonly StatsBucket[],
  { times, isSplit }: { readonly times: readonly number[]; readonly isSplit: boolean },
): readonly Line[] {
  const { isCount } = spec
  if (isSplit)
    return toGroups(buckets).map(([name, list]) =>
      toLine(name, list, { times, read: spec.split, isCount }),
    )
  return spec.parts.map(({ label, read }) => toLine(label, buckets, { times, read, isCount }))
}

export const toErrorLines = (
  buckets: readonly StatsBucket[],
  times: readonly number[],
): readonly Line[] =>
  toGroups(buckets).map(([name, list]) =>
    toLine(name, list, { times, read: (bucket) => bucket.errors, isCount: true }),
  )
