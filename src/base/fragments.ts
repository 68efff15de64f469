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
/** Never pushed to. */
const NOTHING: string[] = []

/** An empty text, or one that begins with `first`. */
export const createFragments = (first = ''): Fragments => new Pieces(first)

/** A class, and not functions around what they share: every block has some. */
class Pieces implements Fragments {
  length: number
  private folded: string[] | undefined
  private loose: string[]

  constructor(first: string) {
    this.length = first.length
    this.loose = first === '' ? NOTHING : [first]
  }

  add(piece: string): void {
    if (piece === '') return
    this.length += piece.length
    // Mostly there is one: a list that is pushed to has room for seventeen.
    if (this.loose.length === 0) {
      this.loose = [piece]
      return
    }
    if (this.loose.push(piece) < FOLD_AT) return
    this.folded ??= []
    this.folded.push(this.loose.join(''))
    this.loose = NOTHING
  }

  toString(): string {
    const parts = this.folded === undefined ? this.loose : this.folded.concat(this.loose)
    const whole = parts.length === 1 ? (parts[0] ?? '') : parts.join('')
    this.folded = undefined
    this.loose = whole === '' ? NOTHING : [whole]
    return whole
  }
}
