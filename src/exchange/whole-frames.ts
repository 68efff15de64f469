/**
 * Bytes as the network cut them to bytes that end where a frame ends, so that something of ours can
 * stand between any two writes and a frame that was cut off never reaches a client. Nothing is parsed:
 * the end of a buffer is looked at, and mostly that is where a frame ends. Neighbours: `watch.ts`.
 */
import { SluiceError } from '../base/sluice-error.ts'
import { MAX_FRAME_BYTES } from '../sse/decode.ts'

export interface WholeFrames {
  /** What is whole now, with what was held before it; `undefined` when that is nothing. */
  push(chunk: Buffer): Buffer | undefined
  /** The beginning of a frame that never ended. */
  rest(): Buffer | undefined
}

const LF = 10
const CR = 13

export const createWholeFrames = (maxBytes: number = MAX_FRAME_BYTES): WholeFrames =>
  new Gathered(maxBytes)

class Gathered implements WholeFrames {
  private readonly maxBytes: number
  private held: Buffer[] | undefined
  private heldBytes = 0
  /** The last bytes before this chunk, as far as they can be part of a blank line. */
  private before = ''

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes
  }

  push(chunk: Buffer): Buffer | undefined {
    if (this.held === undefined && endsFrame(chunk)) {
      this.before = ''
      return chunk
    }
    if (chunk.length === 0) return undefined
    const end = lastFrameEnd(this.before, chunk)
    this.before = (this.before + chunk.toString('latin1', Math.max(0, chunk.length - 3))).slice(-3)
    if (end > 0) this.hold(end === chunk.length ? chunk : chunk.subarray(0, end))
    const whole = end > 0 ? this.rest() : undefined
    if (end < chunk.length) {
      this.hold(end === 0 ? chunk : chunk.subarray(end))
      if (this.heldBytes > this.maxBytes)
        throw new SluiceError(
          'frame-too-large',
          `Cannot hold a frame over ${this.maxBytes} bytes: got ${this.heldBytes}`,
        )
    }
    return whole
  }

  rest(): Buffer | undefined {
    const { held } = this
    this.held = undefined
    const bytes = this.heldBytes
    this.heldBytes = 0
    return held !== undefined && held.length > 1 ? Buffer.concat(held, bytes) : held?.[0]
  }

  private hold(piece: Buffer): void {
    this.held ??= []
    this.held.push(piece)
    this.heldBytes += piece.length
  }
}

/** The common case: a server flushes behind each frame. */
function endsFrame(chunk: Buffer): boolean {
  const at = chunk.length - 1
  if (at < 1 || chunk[at] !== LF) return false
  return chunk[at - 1] === LF || (chunk[at - 1] === CR && chunk[at - 2] === LF)
}

/** Where the last blank line of the chunk ends; 0 when there is none. */
function lastFrameEnd(before: string, chunk: Buffer): number {
  for (let at = chunk.length - 1; at >= 0; at--) {
    if (chunk[at] !== LF && chunk[at] !== CR) continue
    if (!isBlank(before, chunk, at)) continue
    // A CR may be the first half of CR LF: what follows tells, and if nothing does it waits.
    if (chunk[at] === LF) return at + 1
    if (at + 1 < chunk.length) return chunk[at + 1] === LF ? at + 2 : at + 1
  }
  return 0
}

/** Whether the line that ends at `at` is empty. */
function isBlank(before: string, chunk: Buffer, at: number): boolean {
  const byte = (place: number): number | undefined =>
    place >= 0 ? chunk[place] : before.charCodeAt(before.length + place)
  const previous = byte(at - 1)
  if (chunk[at] === LF && previous === CR) return byte(at - 2) === LF || byte(at - 2) === CR
  return previous === LF || previous === CR
}
