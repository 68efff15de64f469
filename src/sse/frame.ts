/**
 * One SSE frame: everything from the end of the last one up to and including the blank line that
 * ends it. The raw bytes of all frames put together are the input, byte for byte. Neighbours:
 * `decode.ts` makes frames, `wire/` reads them. Knows no vendor and no JSON.
 */
import { joinSpans, type Span } from './held-bytes.ts'

/** What most frames do not have. */
export interface FrameOddities {
  readonly stray?: string | undefined
  readonly isEnded?: boolean
  readonly isLine?: boolean
  /** How many frames it stands for, if that is not one: their bytes are its own. */
  readonly frames?: number
  /** Where the frame began, if that was in earlier buffers. */
  readonly before?: readonly Span[] | undefined
}

/**
 * A frame and the place of its bytes. A class with a plain constructor and few fields, so that the
 * bytes are cut out only when somebody asks for them; measured choices (`bench/core.ts`).
 */
export class Frame {
  /** The value of the last `event:` line. */
  readonly event: string | undefined
  /** The `data:` lines joined with a line feed; `undefined` when there was none. */
  readonly data: string | undefined
  private bytes: Uint8Array
  private from: number
  private to: number
  private odd: FrameOddities | undefined

  constructor(
    event: string | undefined,
    data: string | undefined,
    bytes: Uint8Array,
    from: number,
    to: number,
    odd: FrameOddities | undefined,
  ) {
    this.event = event
    this.data = data
    this.bytes = bytes
    this.from = from
    this.to = to
    this.odd = odd
  }

  /** Lines that are no comment and no field of SSE: some servers write a bare `error: …` line. */
  get stray(): string | undefined {
    return this.odd?.stray
  }

  /** False for a last frame that no blank line ended: some clients lose such a frame. */
  get isEnded(): boolean {
    return this.odd?.isEnded ?? true
  }

  /** Whether the frame was a line of a JSON-lines file, which has lost its `event:` line. */
  get isLine(): boolean {
    return this.odd?.isLine ?? false
  }

  /** How many frames came that it stands for. */
  get frames(): number {
    return this.odd?.frames ?? 1
  }

  /** How many bytes it has, of this buffer: of those before it little is known without joining them. */
  get size(): number {
    return this.to - this.from
  }

  /** Whether it has no bytes: it stands for the end of the input. */
  get isEmpty(): boolean {
    return this.from === this.to && this.odd?.before === undefined
  }

  /** The exact bytes of this frame, its line endings included. */
  get raw(): Uint8Array {
    const before = this.odd?.before
    if (before !== undefined) {
      this.bytes = joinSpans([...before, { bytes: this.bytes, from: this.from, to: this.to }])
      this.from = 0
      this.to = this.bytes.length
      this.odd = { ...this.odd, before: undefined }
    }
    // A server that flushes each frame makes most of them a buffer of their own.
    const isWhole = this.from === 0 && this.to === this.bytes.length
    return isWhole ? this.bytes : this.bytes.subarray(this.from, this.to)
  }
}

const NO_BYTES = new Uint8Array(0)

/** A frame that has no bytes: made by us, not read. */
export const createFrame = (event: string | undefined, data: string | undefined): Frame =>
  new Frame(event, data, NO_BYTES, 0, 0, undefined)
