/**
 * One body of an exchange, on its way to the store in pieces. Neighbours: `tape.ts` has up to four, `reel.ts` gathers what
 * comes bit by bit, `outbox.ts` takes the pieces. A body that no room is left for is not kept at all: half of one would
 * look like all of it.
 */
import type { BodyKind, Piece } from '../store/record.ts'
import type { Outbox } from './outbox.ts'
import { Reel, type Block } from './reel.ts'

/** Where the pieces of an exchange go. */
export interface Shipping {
  readonly outbox: Outbox
  readonly id: string
}

const NO_PIECES: readonly Piece[] = []

/** A class: see `reel.ts`. */
export class Track {
  readonly kind: BodyKind
  readonly reel = new Reel()
  /** There was no room for it. */
  isDropped = false
  /** Whether the store has a piece of it already, and how many. */
  hasShipped = false
  shipped = 0
  /** So many pieces are those of another body. */
  passed = 0
  /** The number of the next piece, and the bytes of those before. */
  private seq = 0
  private goneBytes = 0

  constructor(kind: BodyKind) {
    this.kind = kind
  }

  /** Sends ahead what fills a block. */
  ship({ outbox, id }: Shipping): void {
    for (const block of this.reel.takeFull()) {
      this.isDropped ||= !outbox.hasRoom(block.bytes.length)
      if (this.isDropped) return
      outbox.piece(id, this.toPiece(block))
      this.hasShipped = true
      this.shipped++
    }
  }

  /** What has not gone ahead. */
  last(outbox: Outbox): readonly Piece[] {
    const { reel } = this
    this.isDropped ||= !outbox.hasRoom(reel.length - this.goneBytes)
    if (this.isDropped) return NO_PIECES
    const blocks = reel.takeAll()
    // That nothing left is not that it was the same.
    if (this.seq === 0 && blocks.length === 0) return [this.toPiece({ bytes: EMPTY, times: [] })]
    return blocks.map((block) => this.toPiece(block))
  }

  /**
   * Begins with the first bytes of another: those that have gone ahead are known by `passed`, see `FinishedExchange`.
   * False where more than those bytes has gone.
   */
  beginAs(other: Track, bytes: number): boolean {
    if (other.isDropped || bytes < other.goneBytes) return false
    this.passed = other.seq
    this.seq = other.seq
    this.goneBytes = other.goneBytes
    this.reel.length = other.goneBytes
    let left = bytes - other.goneBytes
    for (const block of other.reel.held()) left -= this.copyOf(block, left)
    return true
  }

  /** Up to so many bytes of it, each at its time; gives back how many. */
  private copyOf({ bytes, times }: Block, max: number): number {
    let from = 0
    for (let at = 0; at < times.length && from < max; at += 2) {
      const end = Math.min(max, from + (times[at] ?? 0))
      this.reel.write(bytes.subarray(from, end), times[at + 1] ?? 0, bytes.length)
      from = end
    }
    return from
  }

  private toPiece({ bytes, times }: Block): Piece {
    this.goneBytes += bytes.length
    return { kind: this.kind, seq: this.seq++, bytes, times }
  }
}

const EMPTY = new Uint8Array(0)

/** Whether both say the same. Only where nothing of either has gone ahead. */
export function areEqual(one: Track, other: Track): boolean {
  if (one.reel.length !== other.reel.length || one.hasShipped || other.hasShipped) return false
  if (one.passed > 0 || other.passed > 0) return false
  const [left, right] = [one.reel.held(), other.reel.held()]
  // Blocks are as long as they can be, so that those of equal bodies are equal too.
  return left.every(({ bytes }, at) => {
    const against = right[at]?.bytes
    return against !== undefined && Buffer.compare(bytes, against) === 0
  })
}
