/**
 * What happens at this moment, for whoever watches. Neighbours: `records/` tells it, `server/` passes it on to the page
 * and to `sluice tail`. Costs nothing while nobody watches. What is said of an exchange are its raw bytes: watchers read
 * them with the same stream core.
 */
import type { ExchangeSummary } from './query.ts'
import type { BodyKind } from './record.ts'
import type { VerdictRecord } from '../policy/policy.ts'

/** An exchange that goes on. */
export interface OpenExchange {
  readonly id: string
  readonly requestId: string
  readonly gateway: string
  readonly startedAt: number
  readonly endpoint: string
  readonly wire: string
  readonly key: string | undefined
  readonly client: string | undefined
  readonly model: string | undefined
  readonly conversation: string | undefined
}

export type FeedEvent =
  | { readonly type: 'begun'; readonly exchange: OpenExchange }
  /** Without what was judged: that is content, and is asked for by the exchange's id. */
  | {
      readonly type: 'verdict'
      readonly id: string
      readonly verdict: Omit<VerdictRecord, 'original' | 'delivered'>
    }
  | { readonly type: 'finished'; readonly exchange: ExchangeSummary }
  /** Its row is committed. */
  | { readonly type: 'recorded'; readonly id: string }
  /** The gateway that served it is gone: nothing more comes of it. */
  | { readonly type: 'gone'; readonly id: string }

/** Bytes of an exchange that goes on. */
export interface LivePiece {
  readonly id: string
  readonly kind: BodyKind
  readonly bytes: Uint8Array
  /** Microseconds since the exchange began. */
  readonly at: number
}

export interface Feed {
  /** Gives back how to stop. */
  onEvent(callback: (event: FeedEvent) => void): () => void
  open(): readonly OpenExchange[]
  /**
   * What passes in one exchange, or in all of them: first what has passed already, as far as it is at hand. `onEnd` is
   * called when it is over, at once if it is not known.
   */
  watch(
    id: string | undefined,
    callback: (piece: LivePiece) => void,
    onEnd?: () => void,
  ): () => void
}
