/**
 * What is on its way to the store. Neighbours: `tape.ts` puts things in; `queue.ts` sends them to the thread that
 * writes. Bounded by bytes and by rows: bodies may be refused, rows and verdicts never are.
 */
import type { BodyKind, ExchangeRow, Piece, ToolUse } from '../store/record.ts'
import type { VerdictRecord } from '../policy/policy.ts'

/** An exchange that is over, before the thread has looked into its bytes. */
export interface FinishedExchange {
  readonly row: ExchangeRow
  readonly pieces: readonly Piece[]
  readonly verdicts: readonly VerdictRecord[]
  /** `undefined`: to be found in the answer. */
  readonly tools: readonly ToolUse[] | undefined
  readonly without: readonly BodyKind[]
  /**
   * So many of the first pieces of `upstream`, which have gone ahead and are full, are the first of `delivered` too: a long
   * answer that passed as it came, and then broke off.
   */
  readonly passed?: number
  /** So many pieces of a body have gone ahead. Whoever holds them back until the end sees by it that none is missing. */
  readonly ahead?: Readonly<Partial<Record<BodyKind, number>>>
}

export interface Outbox {
  /** Whether there is room for so many more bytes of bodies. */
  hasRoom(bytes: number): boolean
  /** Bytes of an exchange that goes on. Whoever puts them in gives them away. */
  piece(exchangeId: string, piece: Piece): void
  finish(exchange: FinishedExchange): void
  /** Verdicts that came after the end; the first has that place within its exchange. */
  later(exchangeId: string, at: number, verdicts: readonly VerdictRecord[]): void
  /** As `Recorder.admit`. */
  admit(): true | false | Promise<boolean>
  /** Called when rows are committed. Gives back how to stop. */
  onCommitted(callback: (ids: readonly string[]) => void): () => void
}
