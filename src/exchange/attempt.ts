/**
 * One request to one upstream, until it is known what to do with the answer: it failed, it is whole, or
 * its first content is there and it can be committed. Until then nothing has left for the client, so
 * that an error can still be a status and another upstream can still be asked. Neighbours:
 * `attempts.ts` decides what comes next, `relay.ts` takes a stream over.
 */
import type { StreamFault } from '../event/fault.ts'
import type { Tape } from '../store/tape.ts'
import type { Headers, UpstreamFailure, UpstreamRequest } from '../upstream/upstream.ts'
import type { Wire } from '../wire/wire.ts'
import type { Departure } from './departure.ts'
import type { Attempted, Failed, LiveSink } from './attempted.ts'
import { CUT, isPassing, toStatus } from './fault-status.ts'
import type { Target } from './target.ts'
import type { Ticker } from './ticker.ts'
import { createWatch, type Watch } from './watch.ts'
import { toWhole } from './whole-answer.ts'
import { createWholeFrames } from './whole-frames.ts'

export interface AttemptOptions {
  readonly target: Target
  /** The upstream's. */
  readonly wire: Wire
  readonly request: UpstreamRequest
  /** Whether what streams by is looked over here; whoever takes it over may read all of it anyway. */
  readonly isScanned: boolean
  /** Whether the client gets a stream; if not, one is collected first. */
  readonly wantsStream: boolean
  readonly client: Departure
  readonly ticker: Ticker
  /** When the exchange began, on the ticker's clock. */
  readonly startedAt: number
  readonly commitMs: number
  readonly maxAnswerBytes: number
  /** Told what comes, as it comes. */
  readonly tape?: Tape | undefined
  /** Told once, when the upstream's headers are there. */
  onHead(status: number): void
}

/** No more than so much is held back while the first content is waited for. */
const MAX_HELD_BYTES = 1024 * 1024
const MAX_ERROR_BYTES = 1024 * 1024

type Mode = 'head' | 'error' | 'collect' | 'peek' | 'live' | 'over'

export function attempt(options: AttemptOptions): Promise<Attempted> {
  const { target, wire, ticker, client, startedAt, commitMs, wantsStream, maxAnswerBytes } = options
  const { onHead, request, isScanned, tape } = options
  const { limits } = target.settings
  return new Promise((resolve) => {
    let mode: Mode = 'head'
    let status = 0
    let headers: Headers = {}
    let isEventStream = false
    let pieces: Buffer[] = []
    /** What was read from the socket at once: mostly one piece. */
    let first: Buffer | undefined
    let others: Buffer[] | undefined
    let isEnding = false
    let bytes = 0
    let watch: Watch | undefined
    let sink: LiveSink | undefined
    const frames = createWholeFrames()
    const begunAt = ticker.now()
    let lastAt = begunAt
    /** What came while nobody had taken over: the end, or an error. */
    let late: ((to: LiveSink) => void) | undefined

    const settle = (result: Attempted): void => {
      unwatch()
      offLeave()
      resolve(result)
    }
    const finish = (result: Attempted): void => {
      if (mode === 'over') return
      mode = 'over'
      call.abort()
      settle(result)
    }
    const leave = (): void => finish({ type: 'left', usage: watch?.usage })
    const fail = (fault: StreamFault, more: Partial<Failed> = {}): void =>
      finish({
        type: 'failed',
        fault,
        status: toStatus(fault.kind, wire.name),
        headers,
        body: undefined,
        isRetryable: isPassing(fault.kind),
        retryAfter: undefined,
        ...more,
      })
    const failLate = (fault: StreamFault): void => {
      mode = 'over'
      if (sink === undefined) late = (to) => to.onError(fault)
      else sink.onError(fault)
    }

    function commit(seen: Watch): void {
      mode = 'live'
      settle({
        type: 'stream',
        status,
        headers,
        watch: seen,
        call,
        take(to) {
          sink = to
          const held = pieces
          pieces = []
          const isOver = late !== undefined
          for (const [at, piece] of held.entries())
            to.onFrames(piece, isOver && at === held.length - 1)
          late?.(to)
        },
      })
    }

    function onFrames(seen: Watch, piece: Buffer): void {
      if (mode === 'live') {
        if (isScanned) seen.scan(piece)
        if (sink === undefined) pieces.push(piece)
        else sink.onFrames(piece, isEnding)
        return
      }
      seen.peek(piece, !isScanned)
      pieces.push(piece)
      bytes += piece.length
      if (seen.fault !== undefined && !seen.hasContent) faultAt ??= ticker.now()
      else if (seen.hasContent || bytes > MAX_HELD_BYTES) commit(seen)
    }

    /** An error that the upstream said as its first event. */
    function failSaid(seen: Watch): void {
      const fault = seen.fault ?? CUT
      fail(fault, { frames: Buffer.concat(pieces), retryAfter: readWait(fault.message) })
    }

    function onStreamEnd(seen: Watch): void {
      const rest = frames.rest()
      const isWhole = seen.end(rest)
      // Nothing has left yet, so that it can be a status.
      if (mode === 'peek' && !isWhole)
        return seen.hasSaidError ? failSaid(seen) : fail(seen.fault ?? CUT)
      if (sink === undefined) late = (to) => to.onEnd(rest, isWhole)
      else sink.onEnd(rest, isWhole)
      if (mode === 'peek') commit(seen)
      mode = 'over'
    }

    /**
     * What was read from the socket at once is looked at and written at once: a server that is fast
     * sends a hundred frames in one packet, and each write is a call into the system.
     */
    function flush(): void {
      if (first === undefined || watch === undefined) return
      const chunk = others === undefined ? first : Buffer.concat([first, ...others])
      first = others = undefined
      if (mode === 'over') return
      if (tape !== undefined) tape.came(chunk)
      if (mode === 'peek') lastAt = ticker.now()
      try {
        const piece = frames.push(chunk)
        if (piece !== undefined) onFrames(watch, piece)
      } catch (error) {
        const fault = tooLarge(target.settings.name, error)
        if (mode === 'peek') return fail(fault)
        call.abort()
        failLate(fault)
      }
    }

    function check(now: number): void {
      const name = target.settings.name
      if (mode === 'head' && now - begunAt > limits.firstByte)
        return fail(late504(name, 'did not begin to answer', limits.firstByte))
      if (now - startedAt > limits.total) return fail(late504(name, 'did not finish', limits.total))
      // On some wires it is said in two events, and whoever is told wants to hear both.
      if (faultAt !== undefined && watch !== undefined && now > faultAt) return failSaid(watch)
      if (mode === 'peek' && watch !== undefined && now - headAt > commitMs) return commit(watch)
      if (mode !== 'head' && now - lastAt > limits.idle)
        fail(late504(name, 'was silent', limits.idle, 'for'))
    }
    let headAt = 0
    let faultAt: number | undefined
    const unwatch = ticker.watch(check)
    const offLeave = client.onLeave(leave)

    const call = target.upstream.send(request, {
      onHead(given, own) {
        status = given
        headers = own
        headAt = lastAt = ticker.now()
        onHead(status)
        tape?.head(status, own)
        isEventStream = /^\s*text\/event-stream/i.test(own['content-type'] ?? '')
        if (status < 200 || status >= 300) mode = 'error'
        else if (isEventStream && wantsStream) {
          mode = 'peek'
          watch = createWatch(wire)
        } else mode = 'collect'
      },
      onData(chunk) {
        if (mode === 'peek' || mode === 'live') {
          if (first === undefined) {
            first = chunk
            process.nextTick(flush)
          } else if (others === undefined) others = [chunk]
          else others.push(chunk)
          return
        }
        if (mode === 'over') return
        lastAt = ticker.now()
        tape?.came(chunk)
        pieces.push(chunk)
        bytes += chunk.length
        const limit = mode === 'error' ? MAX_ERROR_BYTES : maxAnswerBytes
        if (bytes > limit)
          fail({
            kind: 'bad-stream',
            message: `Upstream "${target.settings.name}" answered with more than ${limit} bytes`,
          })
      },
      onEnd() {
        if (watch === undefined)
          return finish(
            toWhole(wire, target.settings.name, {
              status,
              headers,
              isEventStream,
              body: Buffer.concat(pieces),
            }),
          )
        isEnding = true
        flush()
        if (mode !== 'over') onStreamEnd(watch)
      },
      onError(failure) {
        isEnding = true
        flush()
        if (mode === 'live') return failLate(toFault(failure))
        // Why it broke off is known: it said so before.
        if (mode === 'peek' && watch?.hasSaidError === true) return failSaid(watch)
        fail(toFault(failure), {
          status: failure.kind === 'timeout' ? 504 : 502,
          isStale: failure.isStale === true,
        })
      },
    })
    if (client.hasLeft) leave()
  })
}

/** OpenAI's wires say it in words: "Please try again in 1.5s". */
function readWait(message: string): number | undefined {
  const [, digits, unit] = /try again in (\d{1,6}(?:\.\d{1,6})?) ?(ms|s)\b/i.exec(message) ?? []
  return digits === undefined
    ? undefined
    : Number(digits) * (unit?.toLowerCase() === 'ms' ? 1 : 1000)
}

const late504 = (name: string, what: string, ms: number, how = 'within'): StreamFault => ({
  kind: 'timeout',
  message: `Upstream "${name}" ${what} ${how} ${Math.round(ms / 100) / 10} s`,
})

const tooLarge = (name: string, error: unknown): StreamFault => ({
  kind: 'bad-stream',
  message: `Upstream "${name}": ${error instanceof Error ? error.message : 'bad stream'}`,
})

const toFault = ({ kind, message }: UpstreamFailure): StreamFault => ({ kind, message })
