/**
 * One line of the list, whether its exchange goes on or was recorded. Neighbours: `src/store/feed.ts` and
 * `src/store/query.ts` have the two kinds, `row-book.ts` keeps the lines. A line that changes is a new object, so that a
 * component sees by identity what to draw again.
 */
import type { ApiEvent } from '../../src/api/types.ts'
import { totalInput } from '../../src/event/usage.ts'
import type { OpenExchange } from '../../src/store/feed.ts'
import type { ExchangeSummary, VerdictCounts } from '../../src/store/query.ts'
import type { Outcome, ToolUse } from '../../src/store/record.ts'

/** `gone`: its gateway is, and nothing more comes of it. */
export type RowState = 'open' | Outcome | 'gone'

export interface LiveRow {
  readonly id: string
  readonly requestId: string
  readonly startedAt: number
  readonly state: RowState
  readonly endpoint: string
  readonly wire: string
  readonly upstreamWire?: string | undefined
  readonly key: string | undefined
  readonly client: string | undefined
  readonly model: string | undefined
  readonly upstreamModel?: string | undefined
  readonly answerModel?: string | undefined
  readonly route?: string | undefined
  readonly upstream?: string | undefined
  readonly conversation: string | undefined
  readonly status?: number | undefined
  readonly durationMs?: number | undefined
  readonly firstByteMs?: number | undefined
  readonly input?: number | undefined
  readonly output?: number | undefined
  readonly isEstimated?: boolean
  readonly cost?: number | undefined
  readonly fault?: string | undefined
  readonly tools: readonly ToolUse[]
  /** Whether that is all of them: they are read from the bytes after the exchange is over. */
  readonly areToolsKnown: boolean
  readonly verdicts: VerdictCounts
  readonly shadowVerdicts: VerdictCounts
  /** Which policies decided, as far as somebody watched: `deny` or `shadow deny` → their names. */
  readonly policies: Readonly<Record<string, readonly string[]>>
}

export type LiveVerdict = Extract<ApiEvent, { type: 'verdict' }>['verdict']

const NONE: VerdictCounts = {}
const NOBODY: LiveRow['policies'] = {}
const NO_TOOLS: readonly ToolUse[] = []

export const toOpenRow = (open: OpenExchange): LiveRow => ({
  id: open.id,
  requestId: open.requestId,
  startedAt: open.startedAt,
  state: 'open',
  endpoint: open.endpoint,
  wire: open.wire,
  key: open.key,
  client: open.client,
  model: open.model,
  conversation: open.conversation,
  tools: NO_TOOLS,
  areToolsKnown: false,
  verdicts: NONE,
  shadowVerdicts: NONE,
  policies: NOBODY,
})

interface Beside {
  /** The same while it was open, which knows who decided. */
  readonly before: LiveRow | undefined
  /** From the store, where its bytes have been read. */
  readonly isRecorded: boolean
}

export const toDoneRow = (done: ExchangeSummary, { before, isRecorded }: Beside): LiveRow => ({
  id: done.id,
  requestId: done.requestId,
  startedAt: done.startedAt,
  state: done.outcome,
  endpoint: done.endpoint,
  wire: done.wire,
  upstreamWire: done.upstreamWire,
  key: done.key,
  client: done.client,
  model: done.model,
  upstreamModel: done.upstreamModel,
  answerModel: done.answerModel,
  route: done.route,
  upstream: done.upstream,
  conversation: done.conversation,
  status: done.status,
  durationMs: done.durationMs,
  firstByteMs: done.firstByteMs,
  input: done.usage === undefined ? undefined : totalInput(done.usage),
  output: done.usage?.outputTokens,
  isEstimated: done.isUsageEstimated,
  cost: done.cost,
  fault: done.fault?.message,
  tools: done.tools,
  areToolsKnown: isRecorded || done.tools.length > 0,
  verdicts: done.verdicts,
  shadowVerdicts: done.shadowVerdicts,
  policies: before?.policies ?? NOBODY,
})

/** Of an exchange that goes on, or of a policy in shadow that was slower than it. */
export function withVerdict(row: LiveRow, { type, isShadow, policy }: LiveVerdict): LiveRow {
  const place = isShadow ? 'shadowVerdicts' : 'verdicts'
  const who = toPolicyPlace(type, isShadow)
  const names = row.policies[who] ?? []
  return {
    ...row,
    [place]: { ...row[place], [type]: (row[place][type] ?? 0) + 1 },
    policies: names.includes(policy)
      ? row.policies
      : { ...row.policies, [who]: [...names, policy] },
  }
}

export const toPolicyPlace = (type: string, isShadow: boolean): string =>
  isShadow ? `shadow ${type}` : type

/** The newest first; within a millisecond by id, as ids are made one after another. */
export const compareRows = (one: LiveRow, other: LiveRow): number =>
  other.startedAt - one.startedAt || (one.id < other.id ? 1 : one.id > other.id ? -1 : 0)

/** Everything that is not a whole answer, as `status:error` of the API means it. */
export const isError = ({ state, status }: LiveRow): boolean =>
  state !== 'open' && (state !== 'done' || (status !== undefined && status >= 400))

export const isDenied = ({ verdicts }: LiveRow): boolean =>
  (verdicts['deny'] ?? 0) + (verdicts['halt'] ?? 0) > 0
