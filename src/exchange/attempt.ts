/**
 * One request to one upstream, until it is known what to do with the answer: it failed, it is whole, or
 * its first content is there (or its first frame, from an upstream that is trusted) and it can be committed. Until then nothing has left for the client, so
 * that an error can still be a status and another upstream can still be asked. Neighbours:
 * `attempts.ts` decides what comes next, `relay.ts` takes a stream over.
 */
import type { Place } from '../base/bag.ts'
import type { StreamFault } from '../event/fault.ts'
import type { Tape } from '../store/tape.ts'
import { afterRead, type Reader } from '../upstream/direct-reads.ts'
import type {
  Headers,
  UpstreamCall,
  UpstreamFailure,
  UpstreamRequest,
  UpstreamSink,
} from '../upstream/upstream.ts'
import type { Wire } from '../wire/wire.ts'
import type { Departure } from './departure.ts'
import type { Attempted, Failed, LiveSink } from './attempted.ts'
import { late504, readWait, toFault, tooLarge } from './attempt-faults.ts'
import { CUT, isPassing, toStatus } from './fault-status.ts'
import type { Target } from './target.ts'
import type { Ticker, Timed } from './ticker.ts'
import { createWatch, type Watch } from './watch.ts'
import { toWhole } from './whole-answer.ts'
import { createWholeFrames } from './whole-frames.ts'

export interface AttemptOptions {
  readonly target: Target
  /** The upstream's. */
  readonly wire: Wire
  /** Whether what streams by is looked over here; whoever takes it over may read all of it anyway. */
  readonly isScanned: boolean
  /** Whether the client gets a stream; if not, one is collected first. */
  readonly wantsStream: boolean
  readonly client: Departure
  readonly ticker: Ticker
  /** When the exchange began, on the ticker's clock. */
  readonly startedAt: number
  readonly commit: Commit
  /** Whether another upstream is asked if this one fails. */
  readonly hasNext: boolean
  readonly maxAnswerBytes: number
  /** Told what comes, as it comes. */
  readonly tape?: Tape | undefined
  /** Told once, when the upstream's headers are there. */
  onHead(status: number): void
}

/**
 * How long after its headers an answer waits for its first content; 0: its first frame is enough, if that is no error. `auto`:
 * eight seconds, and the first frame is enough from an upstream that is trusted, where no other could be asked.
 */
export type Commit = number | 'auto'

const AUTO_MS = 8000

/** No more than so much is held back while the first content is waited for. */
const MAX_HELD_BYTES = 1024 * 1024
const MAX_ERROR_BYTES = 1024 * 1024

type Mode = 'head' | 'error' | 'collect' | 'peek' | 'live' | 'over'

export const attempt = (request: UpstreamRequest, options: AttemptOptions): Promise<Attempted> =>
  new Promise((resolve) => {
    new Attempt(options, resolve).begin(request)
  })

/**
 * A class, and not functions around what they share: every exchange has one, for as long as its stream takes. The request is
 * not among what it has: an agent's is large.
 */
class Attempt implements UpstreamSink, Reader, Timed {
  private readonly options: AttemptOptions
  private readonly resolve: (result: Attempted) => void
  private mode: Mode = 'head'
  private status = 0
  private headers: Headers = {}
  private isEventStream = false
  /** It has begun, and its first content is not there. */
  private isOpening = false
  private pieces: Buffer[] = []
  /** What was read from the socket at once: mostly one piece. */
  private first: Buffer | undefined
  private others: Buffer[] | undefined
  private isEnding = false
  private bytes = 0
  private watch: Watch | undefined
  private sink: LiveSink | undefined
  private readonly frames = createWholeFrames()
  private readonly holdMs: number
  /** Whether the first frame is enough. */
  private readonly isEager: boolean
  private readonly begunAt: number
  private headAt = 0
  private lastAt: number
  private faultAt: number | undefined
  /** What came while nobody had taken over: the end, or an error. */
  private late: ((to: LiveSink) => void) | undefined
  private readonly place: Place<Timed>
  private readonly offLeave: () => void
  private call!: UpstreamCall

  constructor(options: AttemptOptions, resolve: (result: Attempted) => void) {
    const { commit, hasNext, target } = options
    this.options = options
    this.resolve = resolve
    this.holdMs = commit === 'auto' ? AUTO_MS : commit
    this.isEager = commit === 0 || (commit === 'auto' && !hasNext && target.trust.isEarned)
    this.begunAt = this.lastAt = options.ticker.now()
    this.place = options.ticker.watch(this)
    this.offLeave = options.client.onLeave(() => this.leave())
  }

  begin(request: UpstreamRequest): void {
    const { target, client } = this.options
    this.call = target.upstream.send(request, this)
    if (client.hasLeft) this.leave()
  }

  onHead(given: number, own: Headers): void {
    const { ticker, onHead, tape, wantsStream, wire } = this.options
    this.status = given
    this.headers = own
    this.headAt = this.lastAt = ticker.now()
    onHead(given)
    tape?.head(given, own)
    this.isEventStream = /^\s*text\/event-stream/i.test(own['content-type'] ?? '')
    if (given < 200 || given >= 300) this.mode = 'error'
    else if (this.isEventStream && wantsStream) {
      this.mode = 'peek'
      this.isOpening = true
      this.watch = createWatch(wire)
    } else this.mode = 'collect'
  }

  onData(chunk: Buffer): void {
    if (this.mode === 'peek' || this.mode === 'live') {
      if (this.first === undefined) {
        this.first = chunk
        afterRead(this)
      } else if (this.others === undefined) this.others = [chunk]
      else this.others.push(chunk)
      return
    }
    if (this.mode === 'over') return
    const { ticker, tape, maxAnswerBytes, target } = this.options
    this.lastAt = ticker.now()
    tape?.came(chunk)
    this.pieces.push(chunk)
    this.bytes += chunk.length
    const limit = this.mode === 'error' ? MAX_ERROR_BYTES : maxAnswerBytes
    if (this.bytes > limit)
      this.fail({
        kind: 'bad-stream',
        message: `Upstream "${target.settings.name}" answered with more than ${limit} bytes`,
      })
  }

  onEnd(): void {
    const { wire, target } = this.options
    if (this.watch === undefined)
      return this.finish(
        toWhole(wire, target.settings.name, {
          status: this.status,
          headers: this.headers,
          isEventStream: this.isEventStream,
          body: joined(this.pieces),
        }),
      )
    this.isEnding = true
    this.flush()
    if (this.mode !== 'over') this.onStreamEnd(this.watch)
  }

  onError(failure: UpstreamFailure): void {
    this.isEnding = true
    this.flush()
    if (this.mode === 'live') return this.failLate(toFault(failure))
    // Why it broke off is known: it said so before.
    if (this.mode === 'peek' && this.watch?.hasSaidError === true) return this.failSaid(this.watch)
    this.fail(toFault(failure), {
      status: failure.kind === 'timeout' ? 504 : 502,
      isStale: failure.isStale === true,
    })
  }

  wasRead(): void {
    this.flush()
  }

  /**
   * What was read from the socket at once is looked at and written at once: a server that is fast
   * sends a hundred frames in one packet, and each write is a call into the system.
   */
  private flush(): void {
    const { first, others, watch } = this
    if (first === undefined || watch === undefined) return
    const chunk = others === undefined ? first : Buffer.concat([first, ...others])
    this.first = this.others = undefined
    if (this.mode === 'over') return
    const { tape, ticker, target } = this.options
    if (tape !== undefined) tape.came(chunk)
    if (this.mode === 'peek') this.lastAt = ticker.now()
    try {
      const piece = this.frames.push(chunk)
      if (piece !== undefined) this.onFrames(watch, piece)
    } catch (error) {
      const fault = tooLarge(target.settings.name, error)
      if (this.mode === 'peek') return this.fail(fault)
      this.call.abort()
      this.failLate(fault)
    }
  }

  private onFrames(seen: Watch, piece: Buffer): void {
    const { isScanned, ticker } = this.options
    if (this.mode === 'live') {
      if (this.isOpening && seen.isContent(piece)) this.opened()
      if (isScanned) seen.scan(piece)
      if (this.sink === undefined) this.pieces.push(piece)
      else this.sink.onFrames(piece, this.isEnding)
      return
    }
    seen.peek(piece, !isScanned)
    this.pieces.push(piece)
    this.bytes += piece.length
    if (seen.hasContent) this.opened()
    if (seen.fault !== undefined && !seen.hasContent) this.faultAt ??= ticker.now()
    else if (seen.hasContent || this.isEager || this.bytes > MAX_HELD_BYTES) this.commit(seen)
  }

  private opened(): void {
    if (this.isOpening) this.options.target.trust.kept()
    this.isOpening = false
  }

  /** It is over, and not because the client left. */
  private closed(): void {
    if (this.isOpening) this.options.target.trust.broken()
    this.isOpening = false
  }

  private commit(seen: Watch): void {
    const { call, status, headers } = this
    this.mode = 'live'
    if (!this.options.isScanned) seen.release()
    this.settle({
      type: 'stream',
      status,
      headers,
      watch: seen,
      call,
      take: (to) => this.handOver(to),
    })
  }

  private handOver(to: LiveSink): void {
    this.sink = to
    const held = this.pieces
    this.pieces = []
    const isOver = this.late !== undefined
    for (const [at, piece] of held.entries()) to.onFrames(piece, isOver && at === held.length - 1)
    this.late?.(to)
  }

  private onStreamEnd(seen: Watch): void {
    const rest = this.frames.rest()
    // Who reads all of it finds out by itself.
    const isRead = this.mode === 'live' && !this.options.isScanned
    const isWhole = isRead || seen.end(rest)
    if (seen.hasContent) this.opened()
    this.closed()
    // Nothing has left yet, so that it can be a status.
    if (this.mode === 'peek' && !isWhole)
      return seen.hasSaidError ? this.failSaid(seen) : this.fail(seen.fault ?? CUT)
    if (this.sink === undefined) this.late = (to) => to.onEnd(rest, isWhole)
    else this.sink.onEnd(rest, isWhole)
    if (this.mode === 'peek') this.commit(seen)
    this.mode = 'over'
  }

  look(now: number): void {
    const { target, startedAt } = this.options
    const { name, limits } = target.settings
    if (this.mode === 'head' && now - this.begunAt > limits.firstByte)
      return this.fail(late504(name, 'did not begin to answer', limits.firstByte))
    if (now - startedAt > limits.total)
      return this.fail(late504(name, 'did not finish', limits.total))
    const { watch } = this
    // On some wires it is said in two events, and whoever is told wants to hear both.
    if (this.faultAt !== undefined && watch !== undefined && now > this.faultAt)
      return this.failSaid(watch)
    if (this.mode === 'peek' && watch !== undefined && now - this.headAt > this.holdMs)
      return this.commit(watch)
    if (this.mode !== 'head' && now - this.lastAt > limits.idle)
      this.fail(late504(name, 'was silent', limits.idle, 'for'))
  }

  private settle(result: Attempted): void {
    this.options.ticker.unwatch(this.place)
    this.offLeave()
    this.resolve(result)
  }

  private finish(result: Attempted): void {
    if (this.mode === 'over') return
    this.mode = 'over'
    this.call.abort()
    this.settle(result)
  }

  private leave(): void {
    this.finish({ type: 'left', usage: this.watch?.usage })
  }

  private fail(fault: StreamFault, more: Partial<Failed> = {}): void {
    if (this.mode !== 'over') this.closed()
    this.finish({
      type: 'failed',
      fault,
      status: toStatus(fault.kind, this.options.wire.name),
      headers: this.headers,
      body: undefined,
      isRetryable: isPassing(fault.kind),
      retryAfter: undefined,
      ...more,
    })
  }

  /** An error that the upstream said as its first event. */
  private failSaid(seen: Watch): void {
    const fault = seen.fault ?? CUT
    this.fail(fault, { frames: Buffer.concat(this.pieces), retryAfter: readWait(fault.message) })
  }

  private failLate(fault: StreamFault): void {
    this.closed()
    this.mode = 'over'
    if (this.sink === undefined) this.late = (to) => to.onError(fault)
    else this.sink.onError(fault)
  }
}

/** Mostly there is one, and it is nobody else's. */
function joined(pieces: readonly Buffer[]): Buffer {
  const [first] = pieces
  return first !== undefined && pieces.length === 1 ? first : Buffer.concat(pieces)
}
