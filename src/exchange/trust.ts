/**
 * Whether the first frame of an upstream is enough to begin an answer with. Until the first content an error can still be a
 * status, so an answer waits for that; an upstream whose answers always come to it makes every client wait for nothing. It
 * earns trust by so many in a row, and loses it with one that breaks before: overload comes in bursts. Neighbours: `target.ts`
 * has one for each upstream, `attempt.ts` asks it and tells it how answers began.
 */

/** In a row, and twice as many after each time that trust was lost: who breaks one in a hundred soon has none. */
const FIRST = 100
const MOST = 12_800

export class Trust {
  private inRow = 0
  private needed = FIRST

  get isEarned(): boolean {
    return this.inRow >= this.needed
  }

  /** An answer came to its first content. */
  kept(): void {
    this.inRow += 1
  }

  /** One broke before that. Many may at once: this is one time. */
  broken(): void {
    if (this.isEarned) this.needed = Math.min(MOST, this.needed * 2)
    this.inRow = 0
  }
}
