/**
 * What policies in shadow would have done, from the verdicts that are kept of them: the same rows as a backtest has, with
 * nothing run again. Neighbours: the command line and the API show it; `backtest-tally.ts` names rules and tools alike.
 */
import type { VerdictRecord } from '../policy/policy.ts'
import type { ExchangeQuery } from '../store/query.ts'
import type { RecordReader } from '../store/store.ts'
import { ruleOf, toolOf } from './backtest-tally.ts'

export interface ShadowSummary {
  readonly policy: string
  readonly version: string | undefined
  /** Blocks and requests that it judged. */
  readonly judged: number
  /** How often it would have said something else than a pass, by kind. */
  readonly would: Readonly<Record<string, number>>
  readonly rows: readonly ShadowSaid[]
  /** Whether only the newest were told apart by rule. */
  readonly isCut: boolean
}

interface ShadowSaid {
  readonly type: VerdictRecord['type']
  readonly rule: string
  readonly tool: string
  readonly count: number
  readonly examples: readonly ShadowExample[]
}

interface ShadowExample {
  readonly exchangeId: string
  readonly decidedAt: number
  readonly reason: string | undefined
  /** Cut. */
  readonly original: string | undefined
}

type Reader = Pick<RecordReader, 'policies' | 'verdicts'>

const SAID = ['deny', 'halt', 'ask', 'rewrite', 'replace', 'change', 'error'] as const
const PAGE = 1000
/** Of one kind: told apart by rule are the newest. */
const MAX_READ = 10_000
const MAX_ROWS = 200
const EXAMPLES = 3
const MAX_EXAMPLE_CHARS = 2000

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] }

interface Draft extends Mutable<Omit<ShadowSummary, 'would' | 'rows'>> {
  readonly would: Record<string, number>
  readonly rows: Map<string, Mutable<ShadowSaid> & { readonly examples: ShadowExample[] }>
}

/** One for each policy and version, the one that would have done most first. */
export async function summarizeShadow(
  reader: Reader,
  query: ExchangeQuery,
): Promise<readonly ShadowSummary[]> {
  const drafts = new Map<string, Draft>()
  const draftOf = (policy: string, version: string | undefined): Draft => {
    const key = JSON.stringify([policy, version])
    let found = drafts.get(key)
    if (found === undefined)
      drafts.set(
        key,
        (found = { policy, version, judged: 0, would: {}, rows: new Map(), isCut: false }),
      )
    return found
  }

  for (const one of await reader.policies({ ...query, isShadow: true })) {
    if (!one.isShadow) continue
    const draft = draftOf(one.policy, one.version)
    draft.judged += one.count
    if (one.type !== 'pass') draft.would[one.type] = (draft.would[one.type] ?? 0) + one.count
  }
  const types = SAID.filter((type) => [...drafts.values()].some(({ would }) => type in would))
  for (const type of types) {
    const isCut = await readEach(reader, { ...query, isShadow: true, verdict: type }, (record) => {
      if (record.isShadow) add(draftOf(record.policy, record.version), record)
    })
    if (isCut) for (const draft of drafts.values()) draft.isCut ||= type in draft.would
  }
  return [...drafts.values()]
    .map(({ rows, ...rest }) => ({
      ...rest,
      rows: [...rows.values()].toSorted((one, other) => other.count - one.count),
    }))
    .toSorted((one, other) => total(other.would) - total(one.would))
}

const total = (would: Readonly<Record<string, number>>): number =>
  Object.values(would).reduce((sum, count) => sum + count, 0)

type Stored = Awaited<ReturnType<Reader['verdicts']>>['items'][number]

/** Gives back whether there are more than were read. */
async function readEach(
  reader: Reader,
  query: ExchangeQuery,
  each: (record: Stored) => void,
): Promise<boolean> {
  let cursor: string | undefined
  let read = 0
  do {
    const { items, next } = await reader.verdicts({ ...query, cursor, limit: PAGE })
    for (const item of items) each(item)
    read += items.length
    cursor = next
  } while (cursor !== undefined && read < MAX_READ)
  return cursor !== undefined
}

function add({ rows }: Draft, record: Stored): void {
  const rule = ruleOf(record)
  const tool = toolOf(record)
  const key = JSON.stringify([record.type, rule, tool])
  let row = rows.get(key)
  if (row === undefined) {
    if (rows.size >= MAX_ROWS) return
    rows.set(key, (row = { type: record.type, rule, tool, count: 0, examples: [] }))
  }
  row.count += 1
  if (row.examples.length < EXAMPLES)
    row.examples.push({
      exchangeId: record.exchangeId,
      decidedAt: record.decidedAt,
      reason: record.reason,
      original: record.original?.slice(0, MAX_EXAMPLE_CHARS),
    })
}
