/**
 * Looks for one of several strings in a text that comes in pieces, each character once for each string. How many
 * there may be is `translate.ts`'s to say. Neighbours: `stop-sequences.ts`; `base/find-text.ts` does the step.
 */
import { advance, toFallback } from '../base/find-text.ts'

export interface Matcher {
  push(piece: string): {
    /** The one that was complete first; of two that are complete at once, the longer. */
    readonly sequence: string | undefined
    /** Where in this piece it was complete. */
    readonly end: number
    /** How many of the last characters may be the beginning of one. */
    readonly held: number
  }
}

/** Gives a matcher for each text: what is known of the sequences is worked out once, and texts may be many. */
export function prepareMatcher(sequences: readonly string[]): () => Matcher {
  // The longest first, so that it is found first.
  const known = sequences
    .toSorted((a, b) => b.length - a.length)
    .map((sequence) => ({ sequence, fallback: toFallback(sequence) }))
  return () => createMatcher(known)
}

function createMatcher(known: readonly { sequence: string; fallback: Int32Array }[]): Matcher {
  const runners = known.map((one) => ({ ...one, matched: 0 }))
  return {
    push(piece) {
      for (let at = 0; at < piece.length; at++) {
        const char = piece.charCodeAt(at)
        for (const runner of runners) {
          const { sequence, fallback } = runner
          runner.matched = advance(sequence, fallback, runner.matched, char)
          if (runner.matched === sequence.length) return { sequence, end: at + 1, held: 0 }
        }
      }
      let held = 0
      for (const { matched } of runners) if (matched > held) held = matched
      return { sequence: undefined, end: 0, held }
    },
  }
}
