/**
 * The word that was probably meant, for sentences that say what is allowed. Neighbours: the command
 * line and `config/`. Knows no word; imports nothing.
 */

/** A longer word is no slip of the finger, and comparing takes length times length. */
const MAX_LENGTH = 64

/** The word that was probably meant. */
export function nearest<Word extends string>(
  typed: string,
  words: readonly Word[],
): Word | undefined {
  if (typed === '' || typed.length > MAX_LENGTH) return undefined
  const lower = typed.toLowerCase()
  return (
    words.find((word) => word.toLowerCase().startsWith(lower)) ??
    words.find((word) => lower.length > 2 && word.toLowerCase().includes(lower)) ??
    words
      .filter((word) => word.length <= MAX_LENGTH)
      .map((word) => ({ word, far: distance(lower, word.toLowerCase()) }))
      .filter(({ word, far }) => far <= Math.max(2, word.length / 3) && far < word.length)
      .toSorted((a, b) => a.far - b.far)[0]?.word
  )
}

/** How many letters must change. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + same))
    }
    row = next
  }
  return row[b.length] ?? 0
}
