/**
 * One SSE frame: everything from the end of the last one up to and including the blank line that
 * ends it. The raw bytes of all frames put together are the input, byte for byte. Neighbours:
 * `decode.ts` makes frames, `wire/` reads them. Knows no vendor and no JSON.
 */
import { joinSpans, type Span } from './held-bytes.ts'

/**
 * A frame and the place of its bytes. A class with a plain constructor, so that the bytes are cut out
 * only when somebody asks for them; both are measured choices (`bench/framing.ts`).
 */
export class Frame {
  /** The value of the last `event:` line. */
  readonly event: string | undefined
  /** The `data:` lines joined with a line feed; `undefined` when there was none. */
  readonly data: string | undefined
  /** Lines that are no comment and no field of SSE: some servers write a bare `error: …` line. */
  stray: string | undefined = undefined
  /** False for a last frame that no blank line ended: some clients lose such a frame. */
  isEnded = true
  /** Whether the frame was a line of a JSON-lines file, which has lost its `event:` line. */
  isLine = false
  private bytes: Uint8Array
  private from: number
  private to: number
  private before: readonly Span[] | undefined = undefined

  constructor(event: string | undefined, data: string | undefined, bytes: Uint8Array, from: number, to: number) {
    this.event = event
    this.data = data
    this.bytes = bytes
    this.from = from
    this.to = to
  }

  /** Says that the frame began in earlier buffers. */
  beginsWith(before: readonly Span[]): void {
    this.before = before
  }

  /** Whether it has no bytes: it stands for the end of the input. */
  get isEmpty(): boolean {
    return this.from === this.to && this.before === undefined
  }

  /** The exact bytes of this frame, its line endings included. */
  get raw(): Uint8Array {
    if (this.before !== undefined) {
      const place = { bytes: this.bytes, from: this.from, to: this.to }
      this.bytes = joinSpans([...this.before, place])
      this.from = 0
      this.to = this.bytes.length
      this.before = undefined
    }
    return this.bytes.subarray(this.from, this.to)
  }
}
