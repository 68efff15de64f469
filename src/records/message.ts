/**
 * What the gateway's thread and the threads of the records say to each other. Neighbours: `queue.ts` and `client.ts` on
 * one side, `worker.ts` on the other, `thread.ts` between them. All of it can be cloned.
 */
import type { VerdictRecord } from '../policy/policy.ts'
import type { BodyKind } from '../store/record.ts'
import type { RecordSettings } from '../store/settings.ts'
import type { FinishedExchange } from './outbox.ts'

/** One to write, one to read: a search never stands in the way of a write. */
type Role = 'writer' | 'reader'

export interface ThreadData {
  readonly role: Role
  readonly settings: RecordSettings
  /** As in the rows that this gateway writes. */
  readonly gateway: string
}

/** The same, as the thread gets it: with what both sides share to end it between two calls of the store. */
export interface ThreadStart extends ThreadData {
  readonly ends: SharedArrayBuffer
}

/** A piece whose bytes and times stand in blocks of its batch, which are handed over and not copied again. */
export interface SentPiece {
  readonly kind: BodyKind
  readonly seq: number
  readonly start: number
  readonly size: number
  /** Where its times begin among those of the batch, and how many there are. */
  readonly from: number
  readonly count: number
}

export type SentItem =
  | { readonly type: 'piece'; readonly exchangeId: string; readonly piece: SentPiece }
  | {
      readonly type: 'exchange'
      readonly exchange: Omit<FinishedExchange, 'pieces'>
      readonly pieces: readonly SentPiece[]
    }
  | {
      readonly type: 'verdicts'
      readonly exchangeId: string
      readonly at: number
      readonly verdicts: readonly VerdictRecord[]
    }

export interface Batch {
  readonly type: 'batch'
  readonly batch: number
  readonly items: readonly SentItem[]
  readonly slab: ArrayBuffer
  readonly times: ArrayBuffer
}

export type ToThread =
  | Batch
  | {
      readonly type: 'call'
      readonly call: number
      readonly name: string
      readonly values: readonly unknown[]
    }
  /** Nothing more will come. */
  | { readonly type: 'close' }

export interface SentError {
  readonly message: string
  readonly code: string | undefined
  /** A `SluiceError`. */
  readonly isOurs: boolean
}

export type FromThread =
  /** The store is open. */
  | { readonly type: 'ready' }
  /** It cannot be opened, and never will as it is. */
  | { readonly type: 'refused'; readonly error: SentError }
  /** All of these batches is committed. */
  | { readonly type: 'written'; readonly batches: readonly number[]; readonly result: Written }
  /** Nothing can be written now; it is tried again. */
  | { readonly type: 'failing'; readonly why: string }
  | { readonly type: 'answer'; readonly call: number; readonly value: unknown }
  | { readonly type: 'error'; readonly call: number; readonly error: SentError }

/** What became of what was to be written. */
export interface Written {
  /** Of the exchanges whose rows are committed. */
  readonly ids: readonly string[]
  /** Bodies that had to be left out. */
  readonly droppedBodies: number
  /** Why, where that was for want of room. */
  readonly droppedWhy: string | undefined
  /** What the store does not take in any form, with its words: a mistake of ours. */
  readonly lost: readonly Lost[]
}

export interface Lost {
  readonly exchangeId: string
  readonly what: 'exchange' | 'verdicts'
  readonly why: string
}
