/**
 * What is played again: one answer of one wire, with what was asked for it. Neighbours: `replay-files.ts` and
 * `replay-store.ts` find them, `match-recordings.ts` chooses one, `replay-play.ts` plays it. An exchange that was
 * translated is two of them: what its client saw, and what its upstream said.
 */
import type { WireName } from '../event/event.ts'
import type { Headers } from '../upstream/upstream.ts'

export interface Recording {
  /** The id of the record or the path of the file, for people. */
  readonly name: string
  readonly wire: WireName
  /** Where it was asked for, below an upstream's base URL: `/v1/messages`. */
  readonly path: string
  /** The same for all of one agent session. */
  readonly conversation: string | undefined
  readonly model: string | undefined
  /** Whether it is what an upstream said on a wire that was not the client's: clients of then come before it. */
  readonly isBehind?: boolean
  /** The answer's own id, where it is known: later requests may go on from it. */
  readonly answerId: string | undefined
  /** Answers may be large, so each is read when it is its turn. */
  load(): Promise<RecordedAnswer>
}

/** A recording and what was asked, as long as that is needed. */
export interface Found {
  readonly recording: Recording
  /** The body; `undefined` where only the answer was kept. */
  readonly request: Uint8Array | undefined
}

export interface RecordedAnswer {
  readonly status: number
  readonly headers: Headers
  readonly bytes: Uint8Array
  /** How many bytes each arrival brought, and microseconds since the request: `[bytes, at, bytes, at, …]`. */
  readonly times: readonly number[]
  /** `cut`: it broke off behind the last byte. */
  readonly ending: 'end' | 'cut'
}

/** Where recordings come from. */
export interface RecordingSource {
  /** All of them, in the order in which they were asked for. */
  read(): AsyncIterable<Found>
  close(): Promise<void>
}

/** More are not held ready at once. */
export const MAX_RECORDINGS = 20_000
