/**
 * Bytes as they pass → blocks of one body, with the time of each arrival. Neighbours: `track.ts` sends the blocks on.
 * What is written is copied, once: what comes from a socket is a view of a larger block, which would live as long as the
 * exchange. Knows no store.
 */

/** No block is larger. */
export const BLOCK_BYTES = 64 * 1024

/** The least that is taken at first. */
const MIN_BYTES = 2048

/** A run of bytes that is whole. `times`: see `Piece` in `store/record.ts`. */
export interface Block {
  readonly bytes: Uint8Array
  readonly times: readonly number[]
}

const EMPTY = new Uint8Array(0)
const NO_BLOCKS: readonly Block[] = []

/** A class: one small object for each body, and no closure (see `base/bag.ts`). */
export class Reel {
  /** All that was ever written. */
  length = 0
  private buffer: Uint8Array = EMPTY
  private used = 0
  private times: number[] = []
  private full: Block[] | undefined

  /** `size`: how much is likely to come. */
  write(bytes: Uint8Array, at: number, size: number): void {
    const { length } = bytes
    if (length === 0) return
    this.length += length
    if (length <= BLOCK_BYTES - this.used) return this.copy(bytes, at, size)
    for (let from = 0; from < length;) {
      const end = Math.min(length, from + BLOCK_BYTES - this.used)
      this.copy(bytes.subarray(from, end), at, BLOCK_BYTES)
      from = end
    }
  }

  /** Bytes that stay as they are: they are not copied. */
  add(bytes: Uint8Array, at: number): void {
    this.seal()
    this.length += bytes.length
    for (let from = 0; from < bytes.length; from += BLOCK_BYTES) {
      const part = bytes.subarray(from, from + BLOCK_BYTES)
      this.push({ bytes: part, times: [part.length, at] })
    }
  }

  hasFull(): boolean {
    return this.full !== undefined
  }

  /** The blocks that are full; they are the caller's from now on. */
  takeFull(): readonly Block[] {
    const { full } = this
    this.full = undefined
    return full ?? NO_BLOCKS
  }

  /** All blocks that were not taken yet; nothing is written afterwards. */
  takeAll(): readonly Block[] {
    this.seal()
    return this.takeFull()
  }

  /** What was not taken yet, to look at. */
  held(): readonly Block[] {
    const full = this.full ?? NO_BLOCKS
    if (this.used === 0) return full
    return [...full, { bytes: this.buffer.subarray(0, this.used), times: this.times }]
  }

  private copy(bytes: Uint8Array, at: number, size: number): void {
    const end = this.used + bytes.length
    if (end > this.buffer.length) this.grow(Math.max(end, this.used === 0 ? 0 : size))
    this.buffer.set(bytes, this.used)
    this.used = end
    this.times.push(bytes.length, at)
    if (end === BLOCK_BYTES) this.seal()
  }

  private grow(size: number): void {
    let next = Math.max(MIN_BYTES, this.buffer.length * 2)
    while (next < size) next *= 2
    // The first bytes are held in Node's pool, where four streams share a block: most streams that are open have said
    // little. More is held apart: a slice of the pool would keep all of it alive.
    const buffer =
      next === MIN_BYTES
        ? Buffer.allocUnsafe(next)
        : Buffer.allocUnsafeSlow(Math.min(next, BLOCK_BYTES))
    if (this.used > 0) buffer.set(this.buffer.subarray(0, this.used))
    this.buffer = buffer
  }

  private seal(): void {
    if (this.used === 0) return
    this.push({ bytes: this.buffer.subarray(0, this.used), times: this.times })
    this.buffer = EMPTY
    this.used = 0
    this.times = []
  }

  private push(block: Block): void {
    this.full ??= []
    this.full.push(block)
  }
}
