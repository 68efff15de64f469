/**
 * The bytes of a frame that has begun and not ended: where they lie, and a copy only when somebody
 * asks. A frame that is spread over several buffers is the list of places, folded into one buffer from
 * time to time, so that ten megabytes in four-byte pieces stay linear and small.
 */
import { append, NOTHING } from '../base/few.ts'

export interface Span {
  readonly bytes: Uint8Array
  readonly from: number
  readonly to: number
}

/** What lies in the spans, in one piece. */
export function joinSpans(spans: readonly Span[]): Uint8Array {
  const only = spans.length === 1 ? spans[0] : undefined
  if (only !== undefined) return only.bytes.subarray(only.from, only.to)
  const whole = new Uint8Array(spans.reduce((sum, span) => sum + span.to - span.from, 0))
  let at = 0
  for (const span of spans) {
    whole.set(span.bytes.subarray(span.from, span.to), at)
    at += span.to - span.from
  }
  return whole
}

const FOLD_AT = 256

export class HeldBytes {
  length = 0
  private spans: Span[] = NOTHING
  private room: Span | undefined

  add(bytes: Uint8Array, from: number): void {
    if (from >= bytes.length) return
    this.spans = append(this.spans, { bytes, from, to: bytes.length })
    this.length += bytes.length - from
    if (this.spans.length >= FOLD_AT) this.fold()
  }

  /** All spans that were held; afterwards nothing is held. */
  take(): Span[] {
    const taken = this.room === undefined ? this.spans : [this.room, ...this.spans]
    this.spans = NOTHING
    this.room = undefined
    this.length = 0
    return taken
  }

  /** Copies the loose spans behind those copied before, into room that doubles. */
  private fold(): void {
    const filled = this.room?.to ?? 0
    let bytes = this.room?.bytes ?? new Uint8Array(0)
    if (bytes.length < this.length) {
      const wider = new Uint8Array(Math.max(this.length, bytes.length * 2))
      wider.set(bytes.subarray(0, filled))
      bytes = wider
    }
    bytes.set(joinSpans(this.spans), filled)
    this.room = { bytes, from: 0, to: this.length }
    this.spans = NOTHING
  }
}
