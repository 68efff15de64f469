/**
 * A recorded answer as something to be played: where it is at any moment. Neighbours: `answer-reader.ts` makes blocks of
 * the bytes; `playback.tsx` has the clock. Going back means reading again from the start, which takes less than a frame
 * of the screen for all but the longest.
 */
import type { BlockView } from '../../src/api/types.ts'
import type { WireName } from '../../src/index.ts'
import { createAnswerReader, type AnswerReader } from './answer-reader.ts'
import { toPieces } from './raw-frames.ts'

export interface Tape {
  /** Microseconds since the exchange began. */
  readonly first: number
  readonly last: number
  /** Blocks as they were at that moment: the same list as long as nothing has changed. */
  at(moment: number): readonly BlockView[]
}

export function createTape(wire: WireName, bytes: Uint8Array, times: readonly number[]): Tape {
  const pieces = [...toPieces(bytes.length, times)]
  let reader: AnswerReader = createAnswerReader(wire)
  let next = 0
  let isEnded = false

  function rewind(): void {
    reader = createAnswerReader(wire)
    next = 0
    isEnded = false
  }

  return {
    first: pieces[0]?.time ?? 0,
    last: pieces.at(-1)?.time ?? 0,
    at(moment) {
      const before = pieces[next - 1]?.time ?? 0
      if (next > 0 && before > moment) rewind()
      for (;;) {
        const piece = pieces[next]
        if (piece === undefined || (piece.time ?? 0) > moment) break
        reader.push(bytes.subarray(piece.from, piece.to), piece.time ?? 0)
        next += 1
      }
      if (next === pieces.length && !isEnded) {
        isEnded = true
        reader.end()
      }
      return reader.blocks()
    },
  }
}
