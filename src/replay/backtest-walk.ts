/**
 * A question to the records → the exchanges to run, in the order of time, a few at once. Neighbours: `backtest.ts`. Where
 * the policies judge tool calls and nothing else, the index says which exchanges have any, and the others are not even
 * listed, but for those in which something was decided then.
 */
import type { Installed } from '../policy/policy.ts'
import type { ExchangeQuery, ExchangeSummary, PageQuery } from '../store/query.ts'
import type { RecordReader } from '../store/store.ts'

/** What of the records is needed: a folder of recordings can say so much too. */
export type PastSource = Pick<RecordReader, 'list' | 'count' | 'bodies' | 'verdicts'>

export interface Walk {
  readonly queries: readonly ExchangeQuery[]
  /** The first of those that begin in the first millisecond. */
  readonly firstId: string | undefined
  /** How many there are, those that are passed over included. */
  readonly total: number
  /** How many are looked at one by one, about. */
  readonly toRun: number
}

const MAX_COUNT = 10_000_000
const PAGE = 500
const MAX_BATCH = 64
const MAX_BATCH_BYTES = 16 * 1024 * 1024

/** Whether exchanges without a tool call must be run too. */
export const needsAll = (policies: readonly Installed[]): boolean =>
  policies.some(
    ({ policy }) =>
      policy.onRequest !== undefined ||
      policy.onChunk !== undefined ||
      policy.onFinish !== undefined ||
      (policy.onBlock !== undefined && !isCallsOnly(policy.watches)) ||
      (policy.judge !== undefined && policy.holds !== undefined && !isCallsOnly(policy.holds)),
  )

const isCallsOnly = (types: readonly string[] | undefined): boolean =>
  types !== undefined && types.every((type) => type === 'tool-call')

/** Verdicts that make a difference where they are not given any more. */
const SAID = ['deny', 'halt', 'error', 'replace', 'rewrite', 'change'] as const

export async function planWalk(options: {
  readonly source: PastSource
  readonly query: ExchangeQuery
  readonly limit?: number | undefined
  readonly isIndexed: boolean
}): Promise<Walk> {
  const { source, limit, isIndexed } = options
  const counted = await source.count(options.query, limit ?? MAX_COUNT)
  const first = limit === undefined || counted < limit ? undefined : await findFirst(options, limit)
  const query = first === undefined ? options.query : { ...options.query, since: first.startedAt }
  if (!isIndexed || query.hasTools !== undefined || query.tool !== undefined)
    return { queries: [query], firstId: first?.id, total: counted, toRun: counted }
  const withTools = { ...query, hasTools: true }
  return {
    queries: [withTools, ...withoutTools(query)],
    firstId: first?.id,
    total: counted,
    toRun: await source.count(withTools, counted),
  }
}

function withoutTools(query: ExchangeQuery): readonly ExchangeQuery[] {
  const types = query.verdict === undefined ? SAID : [query.verdict]
  return types.map((verdict) => ({ ...query, hasTools: false, verdict }))
}

/** The oldest of the newest so many. */
async function findFirst(
  { source, query }: { readonly source: PastSource; readonly query: ExchangeQuery },
  limit: number,
): Promise<ExchangeSummary | undefined> {
  let left = limit
  let last: ExchangeSummary | undefined
  for await (const items of pages(source, { ...query })) {
    last = items[Math.min(left, items.length) - 1] ?? last
    left -= items.length
    if (left <= 0) break
  }
  return last
}

async function* pages(
  source: PastSource,
  query: ExchangeQuery & PageQuery,
): AsyncGenerator<readonly ExchangeSummary[]> {
  let cursor: string | undefined
  do {
    const page = await source.list({ ...query, cursor, limit: PAGE })
    yield page.items
    cursor = page.next
  } while (cursor !== undefined)
}

/** A few at once, so that their bodies fit into memory. None comes twice. */
export async function* batches(
  walk: Walk,
  source: PastSource,
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly ExchangeSummary[]> {
  let batch: ExchangeSummary[] = []
  let bytes = 0
  for await (const rows of lists(walk, source))
    for (const row of rows) {
      if (signal?.aborted === true) return
      batch.push(row)
      bytes += row.bytesIn + 2 * row.bytesOut
      if (batch.length < MAX_BATCH && bytes < MAX_BATCH_BYTES) continue
      yield batch
      batch = []
      bytes = 0
    }
  if (batch.length > 0) yield batch
}

async function* lists(
  { queries, firstId }: Walk,
  source: PastSource,
): AsyncGenerator<readonly ExchangeSummary[]> {
  /** Those without tools may have several kinds of verdicts. */
  const seen = new Set<string>()
  const isNew = ({ id }: ExchangeSummary): boolean => {
    if (seen.has(id)) return false
    seen.add(id)
    return true
  }
  for (const query of queries)
    for await (const items of pages(source, { ...query, isOldestFirst: true })) {
      const rows = items.filter((row) => !isBefore(row, query, firstId))
      yield query.hasTools === false && queries.length > 1 ? rows.filter(isNew) : rows
    }
}

const isBefore = (
  { id, startedAt }: ExchangeSummary,
  { since }: ExchangeQuery,
  firstId: string | undefined,
): boolean => firstId !== undefined && startedAt === since && id < firstId
