/**
 * A report while its exchange goes on. Neighbours: `exchange.ts` and `deliver.ts` fill it in.
 */
import { append, NOTHING } from '../base/few.ts'
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

/** What a log calls a request whose client did not wait for the answer. */
const CLIENT_LEFT = 499

/** A class, and not functions around what they share: every exchange has one, for as long as it takes. */
export class Draft {
  /** When it began, on the ticker's clock. */
  readonly startedTick: number
  private attempts: Attempt[] = NOTHING
  bytesIn = 0
  bytesOut = 0
  /** Bytes of what the answer says, where it was read and nobody said what it cost. */
  bytesSaid: number | undefined
  /** What is recorded of it; nothing, where there is none. */
  tape: Tape | undefined
  /** As the client sent it, until it is on the tape; only where something is recorded. */
  body: Uint8Array | undefined
  /** The same for all exchanges of one agent session; known where something is recorded. */
  conversation: string | undefined
  private readonly input: ExchangeInput
  private readonly current: Mutable<ExchangeReport>
  private isFinished = false

  constructor(input: ExchangeInput) {
    const { endpoint, request, client } = input
    this.input = input
    this.startedTick = input.room.ticker.now()
    this.current = {
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
      attempts: NOTHING,
      bytesIn: 0,
      bytesOut: 0,
      losses: NOTHING,
      violations: 0,
      verdicts: NOTHING,
      client: productOf(request.headers['user-agent']),
    }
  }

  asked(model: string, isStream: boolean): void {
    this.current.model = model
    this.current.isStream = isStream
  }

  facts(): Pick<ExchangeReport, 'model' | 'isStream'> {
    return this.current
  }

  toTapeStart(): TapeStart {
    const { id, startedAt, endpoint, wire, key, client } = this.current
    const { startedTick } = this
    return { requestId: id, startedAt, startedTick, endpoint, wire, key, client }
  }

  /** An upstream was asked. */
  attempted(attempt: Attempt): void {
    this.attempts = append(this.attempts, attempt)
  }

  /** What policies decide; grows. */
  judgedBy(verdicts: readonly VerdictRecord[]): void {
    this.current.verdicts = verdicts
  }

  servedBy({ settings }: Target, route: Route | undefined, wire: WireName | undefined): void {
    const { current } = this
    current.upstream = settings.name
    current.upstreamWire = wire ?? this.input.endpoint.wire
    current.route = route?.model
    current.upstreamModel = route?.as[settings.name] ?? current.model
  }

  /** What the client was told instead of an answer. */
  refused(body: string | undefined): void {
    if (body !== undefined) this.tape?.left(Buffer.from(body))
  }

  /** The first byte of the answer leaves now. */
  firstByte(): void {
    this.current.firstByteMs ??= this.sinceStart()
  }

  finish(end: End): ExchangeReport {
    const { current, attempts } = this
    this.isFinished = true
    current.attempts = attempts
    current.bytesIn = this.bytesIn
    current.bytesOut = this.bytesOut
    current.durationMs = this.sinceStart()
    Object.assign(current, end)
    // A budget that only counts what was said would not count a client that hangs up, or does not ask.
    const isOwed = attempts.length > 0 && isAnswered(current.outcome)
    const { kind } = this.input.endpoint
    if (isOwed && kind === 'answer' && current.usage?.outputTokens === undefined) {
      current.usage = { ...estimate(current, this.bytesSaid), ...current.usage }
      current.isUsageEstimated = true
    }
    return current
  }

  /** Once it is finished. */
  report(): ExchangeReport | undefined {
    return this.isFinished ? this.current : undefined
  }

  /** The client went away. */
  leave(more: Partial<ExchangeReport> = {}): ExchangeReport {
    return this.finish(
      Object.assign({ outcome: 'client-left' as const, status: CLIENT_LEFT }, more),
    )
  }

  private sinceStart(): number {
    return this.input.room.ticker.now() - this.startedTick
  }
}

const isAnswered = (outcome: ExchangeReport['outcome']): boolean =>
  outcome === 'done' || outcome === 'broken' || outcome === 'client-left'

/** Four bytes of text are about a token; a frame carries one or two, in some 150 bytes. */
const BYTES_PER_TOKEN = 4
const BYTES_PER_FRAME = 150

function estimate({ bytesIn, bytesOut, isStream }: ExchangeReport, said?: number): Usage {
  const bytesPerToken = isStream && said === undefined ? BYTES_PER_FRAME : BYTES_PER_TOKEN
  return {
    inputTokens: Math.ceil(bytesIn / BYTES_PER_TOKEN),
    outputTokens: Math.ceil((said ?? bytesOut) / bytesPerToken),
  }
}

/** `claude-cli/2.1.325 (external, cli)` to `claude-cli/2.1.325`. */
export const productOf = (agent: string | undefined): string | undefined =>
  agent?.split(' ', 1)[0]?.slice(0, 64)
