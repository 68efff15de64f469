/**
 * The records of a running gateway: what writes them, what reads them, and what happens just now. Neighbours:
 * `open.ts` makes them, `server/` has one.
 */
import type { Feed } from '../store/feed.ts'
import type { RecordStore } from '../store/store.ts'
import type { Recorder } from '../store/tape.ts'

export interface Records {
  readonly recorder: Recorder
  readonly store: RecordStore
  readonly feed: Feed
  health(): RecordsHealth
  /** Everything that is on its way is written first, as far as that is possible in this time. */
  close(graceMs: number): Promise<void>
}

export interface RecordsHealth {
  /** `behind`: it goes on, and cannot take bodies. `failing`: nothing can be written, and it is tried again. */
  readonly state: 'ok' | 'behind' | 'failing'
  /** Why, in words that say what to do. */
  readonly why: string | undefined
  /** On their way. */
  readonly waitingExchanges: number
  readonly waitingBytes: number
  readonly committed: number
  readonly droppedBodies: number
}
