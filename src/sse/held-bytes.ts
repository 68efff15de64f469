/**
 * The bytes of a frame that has begun and not ended: where they lie, and a copy only when somebody
 * asks. A frame that is spread over several buffers is the list of places, folded into one buffer from
 * time to time, so that ten megabytes in four-byte pieces stay linear and small.
 */
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

export interface HeldBytes {
  readonly length: number
  add(bytes: Uint8Array, from: number): void
  /** All spans that were held; afterwards nothing is held. */
  take(): Span[]
}

const FOLD_AT = 256

export function createHeldBytes(): HeldBytes {
  let spans: Span[] = []
  let room: Span | undefined

  /** Copies the loose spans behind those copied before, into room that doubles. */
  function fold(): void {
    const filled = room?.to ?? 0
    let bytes = room?.bytes ?? new Uint8Array(0)
    if (bytes.length < held.length) {
      const wider = new Uint8Array(Math.max(held.length, bytes.length * 2))
      wider.set(bytes.subarray(0, filled))
      bytes = wider
    }
    bytes.set(joinSpans(spans), filled)
    room = { bytes, from: 0, to: held.length }
    spans = []
  }

  // A field and not a getter: what a getter in a literal costs stands in `base/bag.ts`.
  const held = {
    length: 0,
    add(bytes: Uint8Array, from: number): void {
      if (from >= bytes.length) return
      spans.push({ bytes, from, to: bytes.length })
      held.length += bytes.length - from
      if (spans.length >= FOLD_AT) fold()
    },
    take(): Span[] {
      const taken = room === undefined ? spans : [room, ...spans]
      spans = []
      room = undefined
      held.length = 0
      return taken
    },
  }
  return held
}
