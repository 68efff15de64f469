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
  let length = first.length
  return {
    add(piece) {
      if (piece === '') return
      length += piece.length
      if (loose.push(piece) < FOLD_AT) return
      folded.push(loose.join(''))
      loose = []
    },
    get length() {
      return length
    },
    toString() {
      const parts = folded.length === 0 ? loose : folded.concat(loose)
      const whole = parts.length === 1 ? (parts[0] ?? '') : parts.join('')
      folded = []
      loose = whole === '' ? [] : [whole]
      return whole
    },
  }
}
