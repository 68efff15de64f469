/**
 * A piece of a body → its bytes as they came, each with its time. Neighbours: `tape.ts` tells late watchers so, whose
 * timing is then that of everybody else.
 */
import type { Piece } from '../store/record.ts'

interface Arrival {
  readonly bytes: Uint8Array
  /** Microseconds since the exchange began. */
  readonly at: number
}

export function* arrivalsOf({ bytes, times }: Pick<Piece, 'bytes' | 'times'>): Generator<Arrival> {
  let from = 0
  for (let i = 0; i + 1 < times.length && from < bytes.length; i += 2) {
    const to = Math.min(bytes.length, from + (times[i] ?? 0))
    if (to > from) yield { bytes: bytes.subarray(from, to), at: times[i + 1] ?? 0 }
    from = to
  }
  // What no time tells of came with the last.
  if (from < bytes.length) yield { bytes: bytes.subarray(from), at: times.at(-1) ?? 0 }
}
