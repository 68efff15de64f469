/**
 * The end of an exchange → its row, and what a list says of it. Neighbours: `tape.ts`. Content and credentials stay out.
 */
import type { VerdictRecord } from '../policy/policy.ts'
import type { ExchangeSummary, VerdictCounts } from '../store/query.ts'
import type { BodyKind, ExchangeRow } from '../store/record.ts'
import type { TapeEnd } from '../store/tape.ts'
import { cleanHeaders, cleanQuery } from './clean-headers.ts'
import type { TapeRoom } from './recorder.ts'

export interface TapeKnows {
  readonly id: string
  /** Of the upstream's answer. */
  readonly status: number | undefined
  readonly headers: Readonly<Record<string, string | undefined>> | undefined
  readonly dropped: readonly BodyKind[]
}

const NO_HEADERS = {}

export function toRow(
  { row, requestHeaders }: TapeEnd,
  room: TapeRoom,
  tape: TapeKnows,
): ExchangeRow {
  return {
    // Said one by one: V8 makes slow objects of spreads this large, and this is made for every exchange.
    id: tape.id,
    requestId: row.requestId,
    traceId: row.traceId,
    gateway: room.gateway,
    startedAt: row.startedAt,
    durationMs: row.durationMs,
    firstByteMs: row.firstByteMs,
    method: row.method,
    endpoint: row.endpoint,
    wire: row.wire,
    upstreamWire: row.upstreamWire,
    key: row.key,
    client: row.client,
    route: row.route,
    upstream: row.upstream,
    model: row.model,
    upstreamModel: row.upstreamModel,
    answerModel: row.answerModel,
    answerId: row.answerId,
    conversation: row.conversation,
    isStream: row.isStream,
    status: row.status,
    outcome: row.outcome,
    fault: row.fault,
    finishReason: row.finishReason,
    usage: row.usage,
    isUsageEstimated: row.isUsageEstimated,
    // By the name under which it was asked for: what the client calls it may be another vendor's.
    cost: room.costOf(row.upstreamModel, row.usage) ?? room.costOf(row.answerModel, row.usage),
    attempts: row.attempts,
    losses: row.losses,
    violations: row.violations,
    bytesIn: row.bytesIn,
    bytesOut: row.bytesOut,
    requestHeaders: cleanHeaders(requestHeaders),
    query: cleanQuery(row.query),
    upstreamStatus: tape.status,
    upstreamHeaders: tape.headers === undefined ? NO_HEADERS : cleanHeaders(tape.headers),
    record: room.mode,
    dropped: tape.dropped,
  }
}

export function toSummary(row: ExchangeRow, { verdicts, tools }: TapeEnd): ExchangeSummary {
  const {
    requestHeaders: _request,
    upstreamHeaders: _upstream,
    attempts,
    losses,
    query: _query,
    ...rest
  } = row
  return {
    ...rest,
    attemptCount: attempts.length,
    lossCount: losses.length,
    tools: tools ?? [],
    verdicts: countTypes(verdicts.filter(({ isShadow }) => !isShadow)),
    shadowVerdicts: countTypes(verdicts.filter(({ isShadow }) => isShadow)),
  }
}

function countTypes(verdicts: readonly VerdictRecord[]): VerdictCounts {
  const counts: Record<string, number> = {}
  for (const { type } of verdicts) counts[type] = (counts[type] ?? 0) + 1
  return counts
}
