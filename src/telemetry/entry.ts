/**
 * A report → what the log says of it: a level and flat fields in camelCase. Neighbours: `log.ts` writes
 * them, `text-line.ts` makes a line for people. Says no content and no credential; what came from outside
 * is cleaned here.
 */
import type { Attempt, ExchangeReport } from '../exchange/report.ts'
import type { Clean } from './clean.ts'
import { toVerdictWords } from './verdicts.ts'

export type Level = 'debug' | 'info' | 'warn' | 'error'

/** Fields that have no value are left out. The order is that of the line. */
export interface ExchangeFields {
  readonly id: string
  readonly traceId: string
  readonly method: string
  readonly endpoint: string
  readonly wire: string
  readonly upstreamWire: string | undefined
  readonly key: string | undefined
  readonly route: string | undefined
  readonly upstream: string | undefined
  readonly model: string | undefined
  /** Where it is not `model`. */
  readonly upstreamModel: string | undefined
  /** Where it is not what was asked for. */
  readonly answerModel: string | undefined
  readonly answerId: string | undefined
  readonly stream: boolean
  readonly status: number
  readonly outcome: string
  readonly fault: string | undefined
  readonly faultCode: string | undefined
  readonly faultMessage: string | undefined
  readonly finish: string | undefined
  readonly inputTokens: number | undefined
  readonly cacheReadTokens: number | undefined
  readonly cacheWriteTokens: number | undefined
  readonly outputTokens: number | undefined
  readonly reasoningTokens: number | undefined
  /** The upstream said nothing of usage: counted from bytes. */
  readonly usageEstimated: boolean | undefined
  readonly attempts: number
  readonly failed: readonly FailedAttempt[] | undefined
  readonly firstByteMs: number | undefined
  readonly ms: number
  readonly bytesIn: number
  readonly bytesOut: number
  readonly losses: readonly string[] | undefined
  /** What policies decided, and how often. */
  readonly verdicts: readonly string[] | undefined
  readonly violations: number | undefined
  readonly client: string | undefined
}

interface FailedAttempt {
  readonly upstream: string
  readonly status: number | undefined
  readonly fault: string | undefined
  readonly ms: number
}

/** Names and ids. A client's id has at most 128 characters. */
const NAME = 128

/** Sentences of an upstream. */
const SENTENCE = 300

const LISTED = 20

/** `error` is what we should look at, `warn` what somebody should. */
export function toLevel({ outcome, status }: ExchangeReport): Level {
  switch (outcome) {
    case 'done':
    case 'client-left':
      return 'info'
    case 'upstream-error':
      return 'warn'
    case 'refused':
      return status >= 500 ? 'error' : 'warn'
    case 'broken':
      return 'error'
  }
}

export function toFields(report: ExchangeReport, clean: Clean): ExchangeFields {
  const { model, upstreamModel, answerModel, fault, usage } = report
  const failed = report.attempts.filter(isFailed)
  const name = (text: string | undefined): string | undefined =>
    text === undefined ? undefined : clean(text, NAME)
  return {
    id: clean(report.id, NAME),
    traceId: report.trace.traceId,
    method: report.method,
    endpoint: report.endpoint,
    wire: report.wire,
    upstreamWire: report.upstreamWire,
    key: report.key,
    route: report.route,
    upstream: report.upstream,
    model: name(model),
    upstreamModel: upstreamModel === model ? undefined : name(upstreamModel),
    answerModel: answerModel === (upstreamModel ?? model) ? undefined : name(answerModel),
    answerId: name(report.answerId),
    stream: report.isStream,
    status: report.status,
    outcome: report.outcome,
    fault: fault?.kind,
    faultCode: name(fault?.code),
    faultMessage: fault === undefined ? undefined : clean(fault.message, SENTENCE),
    finish: report.finishReason,
    inputTokens: usage?.inputTokens,
    cacheReadTokens: usage?.cacheReadTokens,
    cacheWriteTokens: usage?.cacheWriteTokens,
    outputTokens: usage?.outputTokens,
    reasoningTokens: usage?.reasoningTokens,
    usageEstimated: report.isUsageEstimated ? true : undefined,
    attempts: report.attempts.length,
    failed: failed.length === 0 ? undefined : failed.slice(0, LISTED).map(toFailedAttempt),
    firstByteMs: report.firstByteMs === undefined ? undefined : Math.round(report.firstByteMs),
    ms: Math.round(report.durationMs),
    bytesIn: report.bytesIn,
    bytesOut: report.bytesOut,
    losses: toLosses(report, clean),
    verdicts: toVerdictWords(report.verdicts, clean),
    violations: report.violations === 0 ? undefined : report.violations,
    client: name(report.client),
  }
}

const isFailed = ({ fault, status }: Attempt): boolean =>
  fault !== undefined || (status !== undefined && status >= 400)

const toFailedAttempt = ({ upstream, status, fault, durationMs }: Attempt): FailedAttempt => ({
  upstream,
  status,
  fault: fault?.kind,
  ms: Math.round(durationMs),
})

/** What was lost may be called by a tool's name, which the upstream chose. */
function toLosses({ losses }: ExchangeReport, clean: Clean): readonly string[] | undefined {
  if (losses.length === 0) return undefined
  return losses
    .slice(0, LISTED)
    .map(({ kind, what, count }) => clean(`${kind} ${what}${count > 1 ? ` ×${count}` : ''}`, NAME))
}
