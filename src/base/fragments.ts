/**
 * Text that grows by small pieces. Pieces are held and joined when somebody asks; every 1,024 of
 * them are folded into one, so that ten megabytes in four-byte pieces cost neither time squared nor
 * an object per piece. A string and not a list: at a pace, what a piece costs is how many objects are far away when it comes.
 * Imports nothing.
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
export const createFragments = (first = ''): Fragments => new Pieces(first)

/** A class, and not functions around what they share: every block has some. */
class Pieces implements Fragments {
  length: number
  private folded: string[] | undefined
  /** The engine holds what is added in a tree, and joins it when somebody reads it. */
  private loose: string
  private count = 0

  constructor(first: string) {
    this.length = first.length
    this.loose = first
  }

  add(piece: string): void {
    if (piece === '') return
    this.length += piece.length
    this.loose += piece
    if (++this.count < FOLD_AT) return
    this.folded ??= []
    this.folded.push(joined(this.loose))
    this.loose = ''
    this.count = 0
  }

  toString(): string {
    if (this.folded !== undefined) {
      this.folded.push(this.loose)
      this.loose = this.folded.join('')
      this.folded = undefined
    }
    this.count = 0
    return this.loose
  }
}

/** The same text. Whoever asks for a character makes the engine join the tree that it is. */
function joined(text: string): string {
  text.charCodeAt(0)
  return text
}
