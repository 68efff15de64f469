/**
 * What can become of one request to one upstream. Neighbours: `attempt.ts` makes it, `attempts.ts` decides
 * what comes next, `deliver.ts` hands an answer on.
 */
import type { JsonObject } from '../base/json.ts'
import type { StreamFault } from '../event/fault.ts'
import type { Usage } from '../event/usage.ts'
import type { Headers, UpstreamCall } from '../upstream/upstream.ts'
import type { Watch } from './watch.ts'

/** What went wrong, as the client will be told unless something better comes. */
export interface Failed {
  readonly type: 'failed'
  readonly fault: StreamFault
  readonly status: number
  readonly headers: Headers
  /** The upstream's own error, as it came, where it is one of its wire. */
  readonly body: Buffer | undefined
  /** The frames that said it, as they came, where it was said in a stream. */
  readonly frames?: Buffer | undefined
  readonly isRetryable: boolean
  /** A kept connection was closed under it: nothing is wrong with the upstream. */
  readonly isStale?: boolean
  /** Milliseconds. */
  readonly retryAfter: number | undefined
  /** What it had cost until then, as far as that was said. */
  readonly usage?: Usage | undefined
}

/** A stream that has begun. Whoever takes it over gets what came so far, then the rest. */
export interface Live {
  readonly type: 'stream'
  readonly status: number
  readonly headers: Headers
  /** What is known of it by now; it has seen everything that was handed on. */
  readonly watch: Watch
  readonly call: UpstreamCall
  take(sink: LiveSink): void
}

export interface LiveSink {
  /** Bytes that end where a frame ends; `isLast`: the end or an error is told next, at once. */
  onFrames(bytes: Buffer, isLast: boolean): void
  /** What was left of a frame that never ended goes along; `isWhole`: the answer was finished. */
  onEnd(rest: Buffer | undefined, isWhole: boolean): void
  onError(fault: StreamFault): void
}

export interface JsonAnswer {
  readonly type: 'json'
  readonly status: number
  readonly headers: Headers
  readonly body: Buffer
  /** As the engine reads it; `readExactly` has each digit of its numbers. */
  readonly json: JsonObject
}

export type Attempted =
  | Failed
  | Live
  | JsonAnswer
  /** A stream for a client that wants JSON: nothing leaves before it is over. */
  | { readonly type: 'whole-stream'; status: number; headers: Headers; body: Buffer }
  /** The client went away; what it had cost until then, as far as that was said. */
  | { readonly type: 'left'; readonly usage?: Usage | undefined }
