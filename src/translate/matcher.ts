/**
 * Looks for one of several strings in a text that comes in pieces, each character once (Knuth, Morris and
 * Pratt): a stop sequence may be as long as its client likes. Neighbours: `stop-sequences.ts`.
 */
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

export function createMatcher(sequences: readonly string[]): Matcher {
  // The longest first, so that it is found first.
  const runners = [...sequences]
    .sort((a, b) => b.length - a.length)
    .map((sequence) => ({ sequence, fallback: toFallback(sequence), matched: 0 }))

  return {
    push(piece) {
      for (let at = 0; at < piece.length; at++) {
        const char = piece.charCodeAt(at)
        for (const runner of runners) {
          const { sequence, fallback } = runner
          let matched = runner.matched
          while (matched > 0 && sequence.charCodeAt(matched) !== char)
            matched = fallback[matched - 1] ?? 0
          if (sequence.charCodeAt(matched) === char) matched += 1
          runner.matched = matched
          if (matched === sequence.length) return { sequence, end: at + 1, held: 0 }
        }
      }
      let held = 0
      for (const { matched } of runners) if (matched > held) held = matched
      return { sequence: undefined, end: 0, held }
    },
  }
}

/** For each beginning of the sequence, how much of its end is a beginning of the sequence too. */
function toFallback(sequence: string): readonly number[] {
  const fallback = [0]
  let matched = 0
  for (let at = 1; at < sequence.length; at++) {
    const char = sequence.charCodeAt(at)
    while (matched > 0 && sequence.charCodeAt(matched) !== char)
      matched = fallback[matched - 1] ?? 0
    if (sequence.charCodeAt(matched) === char) matched += 1
    fallback.push(matched)
  }
  return fallback
}
