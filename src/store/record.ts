/**
 * What is kept of one exchange. Neighbours: `exchange/` fills it in, the engines of this room keep it, `replay/` and
 * the API read it. Bodies are bytes as they passed; all that is shown of them later is read from them by the stream core.
 */
import type { WireName } from '../event/event.ts'
import type { StreamFault } from '../event/fault.ts'
import type { FinishReason } from '../event/finish.ts'
import type { Loss } from '../event/loss.ts'
import type { Usage } from '../event/usage.ts'
import type { VerdictRecord } from '../policy/policy.ts'

/** How much of the content is kept. */
export type RecordMode = 'bytes' | 'redacted' | 'metadata'

/**
 * `request`: as the client sent it, unpacked. `sent`: as the upstream got it, where that is not the same. `upstream`:
 * the answer as it came. `delivered`: the answer as it left, where that is not the same.
 */
export type BodyKind = 'request' | 'sent' | 'upstream' | 'delivered'
export const BODY_KINDS = ['request', 'sent', 'upstream', 'delivered'] as const

export type Outcome = 'done' | 'refused' | 'upstream-error' | 'broken' | 'client-left'

/** One request to one upstream. */
export interface AttemptRow {
  readonly upstream: string
  readonly startedAt: number
  readonly durationMs: number
  readonly firstByteMs: number | undefined
  readonly status: number | undefined
  readonly fault: Pick<StreamFault, 'kind' | 'message'> | undefined
}

/** A tool that the model called, before anybody judged the call. */
export interface ToolUse {
  readonly name: string
  readonly count: number
}

export interface ExchangeRow {
  /** Of the record: sorts by time, and no client can choose it. */
  readonly id: string
  /** As in logs and in `x-request-id`: the client may have chosen it, so that it can be there twice. */
  readonly requestId: string
  readonly traceId: string
  /** Which gateway served it. */
  readonly gateway: string
  /** Milliseconds since 1970, whole. */
  readonly startedAt: number
  readonly durationMs: number
  /** Until the first byte of the answer left. */
  readonly firstByteMs: number | undefined
  readonly method: string
  readonly endpoint: string
  readonly wire: WireName
  readonly upstreamWire: WireName | undefined
  /** The name of the gateway key. */
  readonly key: string | undefined
  /** The product of its `user-agent`. */
  readonly client: string | undefined
  readonly route: string | undefined
  readonly upstream: string | undefined
  readonly model: string | undefined
  readonly upstreamModel: string | undefined
  readonly answerModel: string | undefined
  readonly answerId: string | undefined
  /** The same for all exchanges of one agent session, as far as they show it. */
  readonly conversation: string | undefined
  readonly isStream: boolean
  readonly status: number
  readonly outcome: Outcome
  readonly fault: Pick<StreamFault, 'kind' | 'message' | 'code'> | undefined
  readonly finishReason: FinishReason | undefined
  readonly usage: Usage | undefined
  readonly isUsageEstimated: boolean
  /** In millionths of a US dollar; `undefined` where no price is known. */
  readonly cost: number | undefined
  readonly attempts: readonly AttemptRow[]
  readonly losses: readonly Loss[]
  readonly violations: number
  readonly bytesIn: number
  readonly bytesOut: number
  /** Without credentials. */
  readonly requestHeaders: Readonly<Record<string, string>>
  /** The query of the request's address, with its question mark; empty where there was none. */
  readonly query: string
  /** Of the upstream's answer that was delivered. */
  readonly upstreamStatus: number | undefined
  readonly upstreamHeaders: Readonly<Record<string, string>>
  readonly record: RecordMode
  /** Bodies that should be here and are not, because there was no room for them. */
  readonly dropped: readonly BodyKind[]
}

/**
 * A run of bytes of one body. Long bodies are kept in several, so that none is ever held whole. `times`: for each
 * arrival, how many bytes it brought and the microseconds since the exchange began: `[bytes, at, bytes, at, …]`.
 */
export interface Piece {
  readonly kind: BodyKind
  /** From 0. */
  readonly seq: number
  readonly bytes: Uint8Array
  readonly times: Times
}

/** A list, or a part of one that came from another thread. */
export type Times = readonly number[] | Float64Array

/** All pieces of a body put together. */
export interface Body {
  readonly bytes: Uint8Array
  readonly times: readonly number[]
}

/** A verdict as it is kept: a link of a chain, so that none can be changed or taken out unseen. */
export interface StoredVerdict extends VerdictRecord {
  /** Its place in the chain, from 1. */
  readonly seq: number
  /** Of the record of the exchange. */
  readonly exchangeId: string
  /** Its place within the exchange, from 0. */
  readonly at: number
  /** Milliseconds since 1970. */
  readonly decidedAt: number
  /** SHA-256 in hex of the one before; of 64 zeroes for the first. */
  readonly previous: string
  readonly hash: string
}

/** What is written at once, in order, in one transaction. */
export type WriteItem =
  /** Bytes of an exchange that goes on. Without its row it is nobody's, and is taken away when that never comes. */
  | { readonly type: 'piece'; readonly exchangeId: string; readonly piece: Piece }
  /** An exchange is over: with this row it is acknowledged. */
  | {
      readonly type: 'exchange'
      readonly row: ExchangeRow
      readonly pieces: readonly Piece[]
      readonly verdicts: readonly VerdictRecord[]
      readonly tools: readonly ToolUse[]
      /** Kinds whose pieces were written and are not needed after all: what left was what came. */
      readonly without: readonly BodyKind[]
      /** For the full-text search; `undefined` where nothing is to be found by it. */
      readonly text: string | undefined
      /** The text comes later, by `setTexts`: until then `textDue` names this exchange. */
      readonly isTextDue?: boolean
      /** Whether pieces of it may have been written before; they may, where nothing is said. */
      readonly hasAhead?: boolean
    }
  /** What a policy in shadow decided after its exchange was over. */
  | {
      readonly type: 'verdicts'
      readonly exchangeId: string
      /** The place of the first within the exchange. */
      readonly at: number
      readonly verdicts: readonly VerdictRecord[]
    }
