/**
 * A report while its exchange goes on. Neighbours: `exchange.ts` and `deliver.ts` fill it in.
 */
import type { VerdictRecord } from '../policy/policy.ts'
import type { Tape, TapeStart } from '../store/tape.ts'
import type { ExchangeInput } from './exchange.ts'
import type { WireName } from '../event/event.ts'
import type { Usage } from '../event/usage.ts'
import type { Attempt, ExchangeReport } from './report.ts'
import type { Route } from './route.ts'
import type { Target } from './target.ts'

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] }
type End = Pick<ExchangeReport, 'outcome' | 'status'> & Partial<ExchangeReport>

export interface Draft {
  /** When it began, on the ticker's clock. */
  readonly startedTick: number
  readonly attempts: Attempt[]
  bytesIn: number
  bytesOut: number
  /** What is recorded of it; nothing, where there is none. */
  tape: Tape | undefined
  /** As the client sent it, until it is on the tape; only where something is recorded. */
  body: Uint8Array | undefined
  /** The same for all exchanges of one agent session; known where something is recorded. */
  conversation: string | undefined
  asked(model: string, isStream: boolean): void
  facts(): Pick<ExchangeReport, 'model' | 'isStream'>
  toTapeStart(): TapeStart
  /** What policies decide; grows. */
  judgedBy(verdicts: readonly VerdictRecord[]): void
  servedBy(target: Target, route: Route | undefined, wire: WireName | undefined): void
  /** What the client was told instead of an answer. */
  refused(body: string | undefined): void
  /** The first byte of the answer leaves now. */
  firstByte(): void
  finish(end: End): ExchangeReport
  /** Once it is finished. */
  report(): ExchangeReport | undefined
  /** The client went away. */
  leave(more?: Partial<ExchangeReport>): ExchangeReport
}

/** What a log calls a request whose client did not wait for the answer. */
const CLIENT_LEFT = 499

export function createDraft(input: ExchangeInput): Draft {
  const { endpoint, request, client, room } = input
  const startedTick = room.ticker.now()
  const report: Mutable<ExchangeReport> = {
    id: input.id,
    trace: input.trace,
    startedAt: Date.now(),
    durationMs: 0,
    firstByteMs: undefined,
    method: request.method ?? endpoint.method,
    endpoint: endpoint.pattern,
    wire: endpoint.wire,
    upstreamWire: undefined,
    key: client.key,
    route: undefined,
    upstream: undefined,
    model: undefined,
    upstreamModel: undefined,
    answerModel: undefined,
    answerId: undefined,
    isStream: false,
    status: 0,
    outcome: 'done',
    fault: undefined,
    finishReason: undefined,
    usage: undefined,
    isUsageEstimated: false,
    attempts: [],
    bytesIn: 0,
    bytesOut: 0,
    losses: [],
    violations: 0,
    verdicts: [],
    client: productOf(request.headers['user-agent']),
  }
  const attempts: Attempt[] = []
  let isFinished = false
  const draft: Draft = {
    startedTick,
    attempts,
    bytesIn: 0,
    bytesOut: 0,
    tape: undefined,
    body: undefined,
    conversation: undefined,
    asked(model, isStream) {
      report.model = model
      report.isStream = isStream
    },
    facts: () => report,
    toTapeStart: () => ({
      requestId: report.id,
      startedAt: report.startedAt,
      startedTick,
      endpoint: report.endpoint,
      wire: report.wire,
      key: report.key,
      client: report.client,
    }),
    judgedBy(verdicts) {
      report.verdicts = verdicts
    },
    servedBy({ settings }, route, wire) {
      report.upstream = settings.name
      report.upstreamWire = wire ?? endpoint.wire
      report.route = route?.model
      report.upstreamModel = route?.as[settings.name] ?? report.model
    },
    refused(body) {
      if (body !== undefined) draft.tape?.left(Buffer.from(body))
    },
    firstByte() {
      report.firstByteMs ??= room.ticker.now() - startedTick
    },
    finish(end) {
      isFinished = true
      report.attempts = attempts
      report.bytesIn = draft.bytesIn
      report.bytesOut = draft.bytesOut
      report.durationMs = room.ticker.now() - startedTick
      Object.assign(report, end)
      // A budget that only counts what was said would not count a client that hangs up, or does not ask.
      const isOwed = attempts.length > 0 && isAnswered(report.outcome)
      if (isOwed && endpoint.kind === 'answer' && report.usage?.outputTokens === undefined) {
        report.usage = { ...estimate(report), ...report.usage }
        report.isUsageEstimated = true
      }
      return report
    },
    report: () => (isFinished ? report : undefined),
    leave: (more = {}) => draft.finish({ outcome: 'client-left', status: CLIENT_LEFT, ...more }),
  }
  return draft
}

const isAnswered = (outcome: ExchangeReport['outcome']): boolean =>
  outcome === 'done' || outcome === 'broken' || outcome === 'client-left'

/** Four bytes of text are about a token; a frame carries one or two, in some 150 bytes. */
const BYTES_PER_TOKEN = 4
const BYTES_PER_FRAME = 150

const estimate = ({ bytesIn, bytesOut, isStream }: ExchangeReport): Usage => ({
  inputTokens: Math.ceil(bytesIn / BYTES_PER_TOKEN),
  outputTokens: Math.ceil(bytesOut / (isStream ? BYTES_PER_FRAME : BYTES_PER_TOKEN)),
})

/** `claude-cli/2.1.325 (external, cli)` to `claude-cli/2.1.325`. */
const productOf = (agent: string | undefined): string | undefined =>
  agent?.split(' ', 1)[0]?.slice(0, 64)
