/**
 * What is known of an exchange once it is over: everything that logs, metrics and traces say is said
 * from here. Holds no content and no credential; texts in it may quote an upstream and are redacted by
 * whoever writes them down. Neighbours: `exchange.ts` makes it, `telemetry/` reads it.
 */
import type { VerdictRecord } from '../policy/policy.ts'
import type { WireName } from '../event/event.ts'
import type { StreamFault } from '../event/fault.ts'
import type { FinishReason } from '../event/finish.ts'
import type { Loss } from '../event/loss.ts'
import type { Usage } from '../event/usage.ts'

/** The ids of W3C Trace Context. */
export interface Trace {
  readonly traceId: string
  /** The span of this exchange. */
  readonly spanId: string
  /** The caller's span, if it sent one. */
  readonly parentId: string | undefined
  readonly isSampled: boolean
  /** The caller's `tracestate`, passed on. */
  readonly state: string | undefined
}

/** One request to one upstream. */
export interface Attempt {
  readonly upstream: string
  readonly spanId: string
  /** Milliseconds since 1970. */
  readonly startedAt: number
  readonly durationMs: number
  /** Until the upstream's headers. */
  readonly firstByteMs: number | undefined
  readonly status: number | undefined
  readonly fault: StreamFault | undefined
}

type Outcome =
  /** The answer was delivered whole. */
  | 'done'
  /** The gateway said no: bad request, no key, no route, over a limit. */
  | 'refused'
  /** The upstream's error was passed on, before the answer was committed. */
  | 'upstream-error'
  /** The answer broke off after it was committed; the client was told. */
  | 'broken'
  | 'client-left'

export interface ExchangeReport {
  /** The correlation id: the client's `x-request-id`, or one made. */
  readonly id: string
  readonly trace: Trace
  /** Milliseconds since 1970. */
  readonly startedAt: number
  readonly durationMs: number
  /** Until the first byte of the answer left for the client. */
  readonly firstByteMs: number | undefined
  readonly method: string
  /** The endpoint, as a pattern: `/v1/responses/{id}`. */
  readonly endpoint: string
  readonly wire: WireName
  readonly upstreamWire: WireName | undefined
  /** The name of the gateway key, never the key. */
  readonly key: string | undefined
  /** The pattern of the route that matched. */
  readonly route: string | undefined
  /** The upstream whose answer was delivered. */
  readonly upstream: string | undefined
  /** As the client asked, as it was sent, and as the answer says. */
  readonly model: string | undefined
  readonly upstreamModel: string | undefined
  readonly answerModel: string | undefined
  /** The answer's id. */
  readonly answerId: string | undefined
  readonly isStream: boolean
  /** What the client was told; 499 when it left before the end. */
  readonly status: number
  readonly outcome: Outcome
  readonly fault: StreamFault | undefined
  readonly finishReason: FinishReason | undefined
  readonly usage: Usage | undefined
  /** Whether the upstream said nothing of usage, and this is counted from bytes. */
  readonly isUsageEstimated: boolean
  readonly attempts: readonly Attempt[]
  readonly bytesIn: number
  readonly bytesOut: number
  readonly losses: readonly Loss[]
  /** Frames of ours that broke their wire's grammar. */
  readonly violations: number
  /** What policies decided, in order. Content is in them: never in a log. */
  readonly verdicts: readonly VerdictRecord[]
  /** The product of the client's `user-agent`: `claude-cli/2.1.325`. */
  readonly client: string | undefined
}
