/**
 * A report → what the record of its exchange says. Neighbours: `recording.ts` ends a tape with it, `store/record.ts` has the
 * row. Says nothing that the report does not say.
 */
import type { AttemptRow } from '../store/record.ts'
import type { TapeEnd } from '../store/tape.ts'
import type { ExchangeInput } from './exchange.ts'
import type { Attempt, ExchangeReport } from './report.ts'

export function toTapeEnd(
  report: ExchangeReport,
  { request, query }: Pick<ExchangeInput, 'request' | 'query'>,
  conversation: string | undefined,
): TapeEnd {
  const { fault, attempts } = report
  return {
    row: {
      requestId: report.id,
      traceId: report.trace.traceId,
      startedAt: report.startedAt,
      durationMs: round(report.durationMs),
      firstByteMs: report.firstByteMs === undefined ? undefined : round(report.firstByteMs),
      method: report.method,
      endpoint: report.endpoint,
      wire: report.wire,
      upstreamWire: report.upstreamWire,
      key: report.key,
      client: report.client,
      route: report.route,
      upstream: report.upstream,
      model: report.model,
      upstreamModel: report.upstreamModel,
      answerModel: report.answerModel,
      answerId: report.answerId,
      conversation,
      isStream: report.isStream,
      status: report.status,
      outcome: report.outcome,
      fault:
        fault === undefined
          ? undefined
          : { kind: fault.kind, message: fault.message, ...codeOf(fault.code) },
      finishReason: report.finishReason,
      usage: report.usage,
      isUsageEstimated: report.isUsageEstimated,
      attempts: attempts.map(toAttemptRow),
      losses: report.losses,
      violations: report.violations,
      bytesIn: report.bytesIn,
      bytesOut: report.bytesOut,
      query,
    },
    requestHeaders: request.headers,
    verdicts: report.verdicts,
    // Where nobody was asked no tool was called; else the bytes tell, and nobody waits for that.
    tools: attempts.length === 0 ? NO_TOOLS : undefined,
  }
}

const NO_TOOLS: TapeEnd['tools'] = []

const codeOf = (code: string | undefined): { readonly code?: string } =>
  code === undefined ? {} : { code }

const toAttemptRow = (attempt: Attempt): AttemptRow => ({
  upstream: attempt.upstream,
  startedAt: attempt.startedAt,
  durationMs: round(attempt.durationMs),
  firstByteMs: attempt.firstByteMs === undefined ? undefined : round(attempt.firstByteMs),
  status: attempt.status,
  fault:
    attempt.fault === undefined
      ? undefined
      : { kind: attempt.fault.kind, message: attempt.fault.message },
})

/** To microseconds: more digits are noise, and are written down for ever. */
const round = (ms: number): number => Math.round(ms * 1000) / 1000
