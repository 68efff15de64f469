/**
 * What a person can say of the records. Neighbours: `config/` reads it, `records/` is built from it. Times are in
 * milliseconds, sizes in bytes.
 */
import type { RecordMode } from './record.ts'
import type { StoreLocation } from './store.ts'

export interface RecordSettings {
  readonly mode: RecordMode
  readonly location: StoreLocation
  /** What happens to a new exchange while the store cannot take more. */
  readonly onFull: 'wait' | 'refuse'
  /** How long an exchange waits at most before it is refused. */
  readonly maxWait: number
  /** Older exchanges are taken away. */
  readonly maxAge: number | undefined
  /** The oldest are taken away beyond it. */
  readonly maxBytes: number | undefined
  /** Encrypts bodies, and what verdicts quote of them. */
  readonly secret: string | undefined
  /** Whether words of requests and answers can be searched for. */
  readonly hasSearch: boolean
  /** Whether a commit waits for the disk itself: then not even a power cut loses one. */
  readonly isSynced: boolean
}

/** What models cost, in US dollars for a million tokens. The first pattern that fits the model wins. */
export interface Price {
  /** `*` stands for any characters. */
  readonly model: string
  readonly input: number
  readonly output: number
  readonly cacheRead: number | undefined
  readonly cacheWrite: number | undefined
}
