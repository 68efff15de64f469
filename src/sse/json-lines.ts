/**
 * Bytes to frames for JSON lines: one chunk a line, as test suites dump streams. Neighbours:
 * `decode.ts` does the same for SSE. Knows lines and nothing of what is in them.
 */
import { SluiceError } from '../base/sluice-error.ts'
import type { Stage } from '../base/stage.ts'
import { MAX_FRAME_BYTES, type FrameLimits } from './decode.ts'
import { Frame } from './frame.ts'
import { HeldBytes, joinSpans } from './held-bytes.ts'

const LF = 10

/** A stage that turns the bytes of a JSON-lines file, cut anywhere, into one frame per line. */
export function createJsonLinesDecoder(limits: FrameLimits = {}): Stage<Uint8Array, Frame> {
  const maxFrameBytes = limits.maxFrameBytes ?? MAX_FRAME_BYTES
  const decoder = new TextDecoder()
  const held = new HeldBytes()

  const toFrame = (bytes: Uint8Array, isEnded: boolean): Frame => {
    const data = decoder.decode(bytes).trim()
    const odd = { isEnded, isLine: true }
    return new Frame(undefined, data === '' ? undefined : data, bytes, 0, bytes.length, odd)
  }

  const checkSize = (bytes: number): void => {
    if (bytes <= maxFrameBytes) return
    throw new SluiceError(
      'frame-too-large',
      `Cannot hold a line over ${maxFrameBytes} bytes: got ${bytes}`,
    )
  }

  return {
    push(bytes) {
      const frames: Frame[] = []
      let from = 0
      for (let end = bytes.indexOf(LF); end !== -1; end = bytes.indexOf(LF, from)) {
        checkSize(held.length + end + 1 - from)
        const rest = { bytes, from, to: end + 1 }
        frames.push(toFrame(joinSpans([...held.take(), rest]), true))
        from = end + 1
      }
      checkSize(held.length + bytes.length - from)
      held.add(bytes, from)
      return frames
    },
    end() {
      return held.length === 0 ? [] : [toFrame(joinSpans(held.take()), false)]
    },
  }
}
