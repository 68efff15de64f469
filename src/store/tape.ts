/**
 * How an exchange is recorded while it goes on. Neighbours: `exchange/` holds the tape to what passes, `records/` makes
 * it. Everything here is called on the hot path: no promise, and nothing is copied twice.
 */
import type { VerdictRecord } from '../policy/policy.ts'
import type { ExchangeRow, ToolUse } from './record.ts'

export interface Recorder {
  /**
   * Whether another exchange may begin: `true` nearly always. While the store cannot take more, a promise of it, or
   * `false` at once where the settings say so.
   */
  admit(): true | false | Promise<boolean>
  begin(start: TapeStart): Tape
}

/** What is known of an exchange when it begins. */
export interface TapeStart {
  readonly requestId: string
  /** Milliseconds since 1970. */
  readonly startedAt: number
  /** The same moment on the clock of `performance.now()`: what comes is timed from it. */
  readonly startedTick: number
  readonly endpoint: string
  readonly wire: ExchangeRow['wire']
  readonly key: string | undefined
  readonly client: string | undefined
}

export interface Tape {
  /** Of the record. */
  readonly id: string
  /** What the client asked, unpacked, and what is known by it. */
  asked(body: Uint8Array, facts: TapeFacts): void
  /** An upstream is asked, or asked again: head and bytes of the attempt before do not count. */
  again(): void
  /** No attempt follows: what came is kept for good. `sent`: what that upstream got, where it is not what the client sent. */
  settled(sent: Uint8Array | undefined): void
  /** The head of the upstream's answer. */
  head(status: number, headers: Readonly<Record<string, string | undefined>>): void
  /** Bytes of the upstream, as they came. */
  came(bytes: Uint8Array): void
  /** Bytes for the client, where they are made and not just passed on. */
  left(bytes: Uint8Array): void
  /** What left is what came: what `left` was told is not kept. */
  same(): void
  /** So many bytes left as they came, then these, and no more: for an answer that was passed on and then broke off. */
  brokeOff(passed: number, bytes: Uint8Array): void
  verdict(record: VerdictRecord): void
  /** The exchange is over. */
  finish(end: TapeEnd): void
  /** What policies in shadow said afterwards. */
  later(verdicts: readonly VerdictRecord[]): void
}

export interface TapeFacts {
  readonly model: string | undefined
  readonly isStream: boolean
  readonly conversation: string | undefined
}

/** What the tape does not know by itself. */
export interface TapeEnd {
  readonly row: Omit<
    ExchangeRow,
    | 'id'
    | 'gateway'
    | 'cost'
    | 'requestHeaders'
    | 'upstreamStatus'
    | 'upstreamHeaders'
    | 'record'
    | 'dropped'
  >
  readonly requestHeaders: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly verdicts: readonly VerdictRecord[]
  /** Where the answer was read; else they are found in its bytes later. */
  readonly tools: readonly ToolUse[] | undefined
}
