/**
 * Differences of single exchanges → the figures of a backtest. Neighbours: `compare-verdicts.ts` finds them,
 * `backtest.ts` tells of exchanges. Bounded: rules and tools may be anything that a model says, and examples are cut.
 */
import type { VerdictRecord } from '../policy/policy.ts'
import type { ExchangeSummary } from '../store/query.ts'
import type { BacktestResult, ChangeExample, ChangeRow, ShadowRow } from './backtest-result.ts'
import { CHANGES, type Change, type ChangeKind, type Compared } from './compare-verdicts.ts'

/** What happened to an exchange. */
export type Fate = 'run' | 'passedOver' | 'metadataOnly' | 'dropped' | 'failed'

export interface Tally {
  /** One exchange, or so many of which nothing more is known. */
  saw(fate: Fate, row?: ExchangeSummary, count?: number): void
  compared(row: ExchangeSummary, compared: Compared): void
  said(records: readonly VerdictRecord[]): void
  asked(): void
  problem(words: string): void
  seen(): number
  changed(): number
  toResult(
    more: Pick<BacktestResult, 'isPartial' | 'tookMs'> & {
      readonly judges: Omit<BacktestResult['judges'], 'unjudged'>
    },
  ): BacktestResult
}

const MAX_ROWS = 500
const MAX_PROBLEMS = 10
const MAX_RULE_CHARS = 120
const MAX_EXAMPLE_CHARS = 2000
/** In the place of rules and tools beyond the most that are told apart. */
const OTHERS = 'others'

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] }

export function createTally(maxExamples: number): Tally {
  const exchanges: Mutable<BacktestResult['exchanges']> = {
    seen: 0,
    run: 0,
    passedOver: 0,
    metadataOnly: 0,
    dropped: 0,
    redacted: 0,
    failed: 0,
    changed: 0,
    oldestAt: undefined,
    newestAt: undefined,
  }
  const changes = Object.fromEntries(CHANGES.map((kind) => [kind, 0])) as Record<ChangeKind, number>
  const rows = new Map<string, Mutable<ChangeRow> & { readonly examples: ChangeExample[] }>()
  const shadow = new Map<string, Mutable<ShadowRow>>()
  const errors = new Map<string, number>()
  const problems = new Set<string>()
  let same = 0
  let asks = 0
  let unjudged = 0

  function add(row: ExchangeSummary, change: Change): void {
    const { kind } = change
    changes[kind] += 1
    const about = aboutOf(change)
    const found = rowOf(rows, [kind, ...about], ([, policy, rule, tool]) => ({
      kind,
      policy,
      rule,
      tool,
      count: 0,
      examples: [],
    }))
    found.count += 1
    if (found.examples.length < maxExamples) found.examples.push(toExample(row, change))
  }

  return {
    saw(fate, row, count = 1) {
      exchanges.seen += count
      exchanges[fate] += count
      if (row === undefined) return
      if (fate === 'run' && row.record === 'redacted') exchanges.redacted += 1
      exchanges.oldestAt = Math.min(exchanges.oldestAt ?? Infinity, row.startedAt)
      exchanges.newestAt = Math.max(exchanges.newestAt ?? 0, row.startedAt)
    },
    compared(row, found) {
      same += found.same
      unjudged += found.unjudged
      if (found.changes.length > 0) exchanges.changed += 1
      for (const change of found.changes) add(row, change)
    },
    said(records) {
      for (const record of records) {
        if (record.type === 'error') errors.set(record.policy, (errors.get(record.policy) ?? 0) + 1)
        if (!record.isShadow || record.type === 'pass') continue
        const { type } = record
        rowOf(shadow, [type, ...partsOf(record)], ([, policy, rule, tool]) => ({
          policy,
          type,
          rule,
          tool,
          count: 0,
        })).count += 1
      }
    },
    asked() {
      asks += 1
    },
    problem(words) {
      if (problems.size < MAX_PROBLEMS) problems.add(words)
    },
    seen: () => exchanges.seen,
    changed: () => exchanges.changed,
    toResult: ({ judges, ...more }) => ({
      ...more,
      exchanges: { ...exchanges },
      same,
      changes: { ...changes },
      rows: [...rows.values()].map((row) => ({ ...row })).toSorted(byKindAndCount),
      shadow: [...shadow.values()].map((row) => ({ ...row })).toSorted((a, b) => b.count - a.count),
      asks,
      errors: Object.fromEntries(errors),
      judges: { ...judges, unjudged },
      problems: [...problems],
    }),
  }
}

type Parts = readonly [policy: string, rule: string, tool: string]

/** Of the one whose word makes the difference. */
function aboutOf({ kind, before, after }: Change): Parts {
  const isGone = kind === 'newly-passed' || kind.startsWith('no-longer')
  const record = isGone ? (before ?? after) : (after ?? before)
  return record === undefined ? ['', '', ''] : partsOf(record)
}

const partsOf = (record: VerdictRecord): Parts => [record.policy, ruleOf(record), toolOf(record)]

export function ruleOf({ details, reason }: Pick<VerdictRecord, 'details' | 'reason'>): string {
  const { rule } = details
  const words = typeof rule === 'string' || typeof rule === 'number' ? String(rule) : (reason ?? '')
  return words.slice(0, MAX_RULE_CHARS)
}

export const toolOf = ({ block, type }: Pick<VerdictRecord, 'block' | 'type'>): string =>
  block === undefined
    ? type === 'halt'
      ? 'answer'
      : 'request'
    : (block.name ?? block.type).slice(0, MAX_RULE_CHARS)

/** The row of these words. Beyond the most, words that are free give way to one that stands for all others. */
function rowOf<Row>(
  rows: Map<string, Row>,
  [kind, policy, rule, tool]: readonly [string, ...Parts],
  create: (words: readonly [string, ...Parts]) => Row,
): Row {
  const find = (words: readonly [string, ...Parts]): Row | undefined => {
    const key = JSON.stringify(words)
    const known = rows.get(key)
    if (known !== undefined || (rows.size >= MAX_ROWS && words[2] !== OTHERS)) return known
    const made = create(words)
    rows.set(key, made)
    return made
  }
  const others = [kind, policy, OTHERS, OTHERS] as const
  return find([kind, policy, rule, tool]) ?? find(others) ?? create(others)
}

const toExample = (row: ExchangeSummary, { before, after }: Change): ChangeExample => ({
  exchangeId: row.id,
  startedAt: row.startedAt,
  reason: (after ?? before)?.reason?.slice(0, MAX_EXAMPLE_CHARS),
  original: (after ?? before)?.original?.slice(0, MAX_EXAMPLE_CHARS),
  delivered: after?.delivered?.slice(0, MAX_EXAMPLE_CHARS),
  before: wordsOf(before),
})

function wordsOf(record: VerdictRecord | undefined): string {
  if (record === undefined) return 'pass'
  return record.reason === undefined
    ? record.type
    : `${record.type}: ${record.reason.slice(0, MAX_EXAMPLE_CHARS)}`
}

const byKindAndCount = (one: ChangeRow, other: ChangeRow): number =>
  CHANGES.indexOf(one.kind) - CHANGES.indexOf(other.kind) || other.count - one.count
