/**
 * Rows of the tables → what callers see. Neighbours: `to-rows.ts` wrote them. What stands in JSON was written by us.
 */
import type { WireName } from '../event/event.ts'
import type { ExchangeSummary, VerdictCounts } from './query.ts'
import type { ExchangeRow, Outcome, StoredVerdict, ToolUse } from './record.ts'
import { unpackContent } from './chain.ts'
import type { PieceCodec } from './store.ts'
import type { ExchangesTable, VerdictsTable } from './tables.ts'

type Details = Pick<
  ExchangeRow,
  'requestHeaders' | 'upstreamHeaders' | 'attempts' | 'losses' | 'query'
>

type Summary = Pick<
  ExchangeSummary,
  | 'traceId'
  | 'method'
  | 'endpoint'
  | 'upstreamWire'
  | 'answerId'
  | 'isStream'
  | 'fault'
  | 'finishReason'
  | 'usage'
  | 'isUsageEstimated'
  | 'violations'
  | 'bytesIn'
  | 'bytesOut'
  | 'upstreamStatus'
  | 'record'
  | 'dropped'
  | 'attemptCount'
  | 'lossCount'
> & { readonly tools?: readonly ToolUse[] }

export interface Counted {
  readonly verdicts: VerdictCounts
  readonly shadowVerdicts: VerdictCounts
}
const NONE: Counted = { verdicts: {}, shadowVerdicts: {} }

/** A line of a list. */
export function toSummary(row: ExchangesTable, counted: Counted = NONE): ExchangeSummary {
  const summary = JSON.parse(row.summary) as Summary
  return {
    ...toColumns(row, summary),
    attemptCount: summary.attemptCount,
    lossCount: summary.lossCount,
    tools: summary.tools ?? [],
    verdicts: counted.verdicts,
    shadowVerdicts: counted.shadowVerdicts,
  }
}

export interface WholeRow extends ExchangeRow {
  readonly tools: readonly ToolUse[]
}

export function toWholeRow(row: ExchangesTable, rest: string): WholeRow {
  const summary = JSON.parse(row.summary) as Summary
  return {
    ...toColumns(row, summary),
    ...(JSON.parse(rest) as Details),
    tools: summary.tools ?? [],
  }
}

const toColumns = (row: ExchangesTable, summary: Summary): Omit<ExchangeRow, keyof Details> => ({
  id: row.id,
  requestId: row.request_id,
  traceId: summary.traceId,
  gateway: row.gateway,
  startedAt: row.started_at,
  durationMs: row.duration_ms,
  firstByteMs: row.first_byte_ms ?? undefined,
  method: summary.method,
  endpoint: summary.endpoint,
  wire: row.wire as WireName,
  upstreamWire: summary.upstreamWire,
  key: row.key_name ?? undefined,
  client: row.client ?? undefined,
  route: row.route ?? undefined,
  upstream: row.upstream ?? undefined,
  model: row.model ?? undefined,
  upstreamModel: row.upstream_model ?? undefined,
  answerModel: row.answer_model ?? undefined,
  answerId: summary.answerId,
  conversation: row.conversation ?? undefined,
  isStream: summary.isStream,
  status: row.status,
  outcome: row.outcome as Outcome,
  fault: summary.fault,
  finishReason: summary.finishReason,
  usage: summary.usage,
  isUsageEstimated: summary.isUsageEstimated,
  cost: row.cost ?? undefined,
  violations: summary.violations,
  bytesIn: summary.bytesIn,
  bytesOut: summary.bytesOut,
  upstreamStatus: summary.upstreamStatus,
  record: summary.record,
  dropped: summary.dropped,
})

interface VerdictRest {
  readonly tags?: readonly string[]
  readonly by?: string
  readonly blockId?: string
  readonly index?: number
  readonly tookMs: number
}

export function toStoredVerdict(row: VerdictsTable, codec: PieceCodec): StoredVerdict {
  const rest = JSON.parse(row.rest) as VerdictRest
  const { reason, details, original, delivered } = unpackContent(row, codec)
  return {
    seq: row.seq,
    exchangeId: row.exchange_id,
    at: row.at,
    decidedAt: row.decided_at,
    previous: row.previous,
    hash: row.hash,
    policy: row.policy,
    version: row.version ?? undefined,
    type: row.type as StoredVerdict['type'],
    reason,
    tags: rest.tags ?? [],
    details,
    by: rest.by,
    block: toBlock(row, rest),
    original,
    delivered,
    isShadow: row.is_shadow === 1,
    tookMs: rest.tookMs,
  }
}

function toBlock(
  { block, tool }: VerdictsTable,
  { blockId, index }: VerdictRest,
): StoredVerdict['block'] {
  if (block === 'request') return undefined
  return {
    type: block as NonNullable<StoredVerdict['block']>['type'],
    id: blockId ?? '',
    index: index ?? 0,
    name: tool ?? undefined,
  }
}
