/**
 * Text that grows by small pieces. Pieces are held and joined when somebody asks; every 1,024 of
 * them are folded into one, so that ten megabytes in four-byte pieces cost neither time squared nor
 * an object per piece. Imports nothing.
 */
export interface Fragments {
  add(piece: string): void
  /** How many characters there are, without joining them. */
  readonly length: number
  /** All pieces as one string. Joined once: asking again is free until the next piece. */
  toString(): string
}

const FOLD_AT = 1024

/** An empty text, or one that begins with `first`. */
export function createFragments(first = ''): Fragments {
  let folded: string[] = []
  let loose: string[] = first === '' ? [] : [first]
  // A field and not a getter: what a getter in a literal costs stands in `bag.ts`.
  const fragments = {
    length: first.length,
    add(piece: string): void {
      if (piece === '') return
      fragments.length += piece.length
      if (loose.push(piece) < FOLD_AT) return
      folded.push(loose.join(''))
      loose = []
    },
    toString(): string {
      const parts = folded.length === 0 ? loose : folded.concat(loose)
      const whole = parts.length === 1 ? (parts[0] ?? '') : parts.join('')
      folded = []
      loose = whole === '' ? [] : [whole]
      return whole
    },
  }
  return fragments
}
