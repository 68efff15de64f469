/**
 * A report → spans of OpenTelemetry: one of the exchange and one of each attempt, with the ids that were
 * sent upstream, and attributes by the conventions for HTTP and GenAI. Neighbours: `trace.ts` exports
 * them. Says no content; what came from outside is cleaned. Loads nothing: only types are imported.
 *
 * Tokens and the answer stand on the span of the attempt that gave them, and not on that of the exchange
 * as well: whoever adds up spans would count them twice.
 */
import type { Attributes, HrTime, SpanContext, SpanStatus, TraceState } from '@opentelemetry/api'
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base'
import type { WireName } from '../event/event.ts'
import type { StreamFault } from '../event/fault.ts'
import { totalInput } from '../event/usage.ts'
import type { Attempt, ExchangeReport } from '../exchange/report.ts'
import type { Clean } from './clean.ts'
import { toVerdictWords } from './verdicts.ts'

export interface SpanMaker {
  readonly clean: Clean
  readonly resource: ReadableSpan['resource']
  readonly scope: ReadableSpan['instrumentationScope']
  readonly readState: (state: string) => TraceState
}

// The numbers of the API's enums, which are promised to stay.
const SERVER = 1
const CLIENT = 2
const UNSET: SpanStatus = { code: 0 }

/** Endpoints that ask a model for an answer; the others count, list or fetch. */
const CHATS: ReadonlySet<string> = new Set([
  '/v1/messages',
  '/v1/messages/stream',
  '/v1/chat/completions',
  '/v1/responses',
])

/** Whose tongue it is; what stands behind a compatible server nobody knows. */
const PROVIDERS: Readonly<Record<WireName, string>> = {
  'anthropic-messages': 'anthropic',
  'openai-chat': 'openai',
  'openai-responses': 'openai',
}

const NAME = 128
const SENTENCE = 300

/** The span of the exchange, then those of its attempts. */
export function toSpans(report: ExchangeReport, maker: SpanMaker): ReadableSpan[] {
  return [
    toServerSpan(report, maker),
    ...report.attempts.map((attempt) => toClientSpan(report, attempt, maker)),
  ]
}

function toServerSpan(report: ExchangeReport, maker: SpanMaker): ReadableSpan {
  const { trace, outcome, status, fault } = report
  const isFailed = outcome === 'broken' || outcome === 'upstream-error' || status >= 500
  const parent =
    trace.parentId === undefined
      ? undefined
      : { ...toContext(report, trace.parentId, maker), isRemote: true }
  return {
    ...toCommon(report, report, maker),
    name: `${report.method} ${report.endpoint}`,
    kind: SERVER,
    spanContext: constant(toContext(report, trace.spanId, maker)),
    ...(parent === undefined ? {} : { parentSpanContext: parent }),
    // By the conventions for HTTP a server that refuses a bad request has not failed.
    status: isFailed ? toError(fault, maker.clean) : UNSET,
    attributes: defined({
      'http.request.method': report.method,
      'http.route': report.endpoint,
      'http.response.status_code': status,
      'error.type': fault?.kind ?? (isFailed ? String(status) : undefined),
      'gen_ai.request.model': cleanName(report.model, maker.clean),
      'sluice.request_id': maker.clean(report.id, NAME),
      'sluice.outcome': outcome,
      'sluice.wire': report.wire,
      'sluice.stream': report.isStream,
      'sluice.route': report.route,
      'sluice.upstream': report.upstream,
      'sluice.key': report.key,
      'sluice.client': cleanName(report.client, maker.clean),
      'sluice.attempts': report.attempts.length,
      'sluice.time_to_first_byte_ms': report.firstByteMs,
      'sluice.losses': report.losses.length || undefined,
      'sluice.verdicts': toVerdictWords(report.verdicts, maker.clean),
      'sluice.violations': report.violations || undefined,
    }),
  }
}

function toClientSpan(report: ExchangeReport, attempt: Attempt, maker: SpanMaker): ReadableSpan {
  const { status, fault } = attempt
  const index = report.attempts.indexOf(attempt)
  const isLast = index === report.attempts.length - 1
  const isFailed = fault !== undefined || (status !== undefined && status >= 400)
  const isChat = CHATS.has(report.endpoint)
  const model = isLast ? cleanName(report.upstreamModel ?? report.model, maker.clean) : undefined
  const provider = report.upstreamWire === undefined ? undefined : PROVIDERS[report.upstreamWire]
  return {
    ...toCommon(report, attempt, maker),
    name: isChat
      ? ['chat', model].filter(Boolean).join(' ')
      : `${report.method} ${report.endpoint}`,
    kind: CLIENT,
    spanContext: constant(toContext(report, attempt.spanId, maker)),
    parentSpanContext: toContext(report, report.trace.spanId, maker),
    status: isFailed ? toError(fault, maker.clean) : UNSET,
    attributes: defined({
      'gen_ai.operation.name': isChat ? 'chat' : undefined,
      // The older name is what many collectors still go by.
      'gen_ai.provider.name': isLast ? provider : undefined,
      'gen_ai.system': isLast ? provider : undefined,
      'gen_ai.request.model': model,
      'http.response.status_code': status,
      'error.type': fault?.kind ?? (isFailed ? String(status) : undefined),
      'sluice.upstream': attempt.upstream,
      'sluice.attempt': index + 1,
      'sluice.time_to_headers_ms': attempt.firstByteMs,
      ...(isLast ? toAnswer(report, maker.clean) : {}),
    }),
  }
}

function toAnswer(report: ExchangeReport, clean: Clean): Record<string, Value> {
  const { usage, finishReason } = report
  const hasInput =
    usage?.inputTokens !== undefined ||
    usage?.cacheReadTokens !== undefined ||
    usage?.cacheWriteTokens !== undefined
  return {
    'gen_ai.response.id': cleanName(report.answerId, clean),
    'gen_ai.response.model': cleanName(report.answerModel, clean),
    // Our words in the spelling that the conventions use: tool_calls, content_filter.
    'gen_ai.response.finish_reasons':
      finishReason === undefined ? undefined : [finishReason.replaceAll('-', '_')],
    // By the conventions the cache is a part of the input.
    'gen_ai.usage.input_tokens': hasInput ? totalInput(usage) : undefined,
    'gen_ai.usage.cache_read.input_tokens': usage?.cacheReadTokens,
    'gen_ai.usage.cache_creation.input_tokens': usage?.cacheWriteTokens,
    'gen_ai.usage.output_tokens': usage?.outputTokens,
    'gen_ai.usage.reasoning.output_tokens': usage?.reasoningTokens,
  }
}

type Value = string | number | boolean | readonly string[] | undefined

type Common = Pick<
  ReadableSpan,
  | 'startTime'
  | 'endTime'
  | 'duration'
  | 'ended'
  | 'links'
  | 'events'
  | 'resource'
  | 'instrumentationScope'
  | 'droppedAttributesCount'
  | 'droppedEventsCount'
  | 'droppedLinksCount'
>

function toCommon(
  report: ExchangeReport,
  { startedAt, durationMs }: Pick<Attempt, 'startedAt' | 'durationMs'>,
  { resource, scope }: SpanMaker,
): Common {
  // An attempt lies within its exchange, also where clocks were read a moment apart.
  const start = Math.max(startedAt, report.startedAt)
  const end = Math.max(
    start,
    Math.min(startedAt + durationMs, report.startedAt + report.durationMs),
  )
  return {
    startTime: toTime(start),
    endTime: toTime(end),
    duration: toTime(end - start),
    ended: true,
    links: [],
    events: [],
    resource,
    instrumentationScope: scope,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  }
}

function toContext({ trace }: ExchangeReport, spanId: string, maker: SpanMaker): SpanContext {
  const context = { traceId: trace.traceId, spanId, traceFlags: trace.isSampled ? 1 : 0 }
  return trace.state === undefined
    ? context
    : { ...context, traceState: maker.readState(trace.state) }
}

const toError = (fault: StreamFault | undefined, clean: Clean): SpanStatus =>
  fault === undefined ? { code: 2 } : { code: 2, message: clean(fault.message, SENTENCE) }

const cleanName = (text: string | undefined, clean: Clean): string | undefined =>
  text === undefined ? undefined : clean(text, NAME)

/** Seconds and nanoseconds. */
function toTime(ms: number): HrTime {
  const seconds = Math.floor(ms / 1000)
  return [seconds, Math.floor((ms - seconds * 1000) * 1e6)]
}

const constant =
  <T>(value: T): (() => T) =>
  () =>
    value

function defined(values: Readonly<Record<string, Value>>): Attributes {
  const attributes: Attributes = {}
  for (const [name, value] of Object.entries(values))
    if (value !== undefined) attributes[name] = typeof value === 'object' ? [...value] : value
  return attributes
}
