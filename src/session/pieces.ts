/**
 * Pieces of conversations as JSON text, each kept once however many answers hold it: most clients send the
 * whole conversation on every turn, and fifty turns of it would be kept fifty times. Kept as text, since that
 * is the one form whose size is known. One owner's pieces are never another's. Neighbours: `shelf.ts` has one
 * for every owner, `chain.ts` strings pieces together. Knows no wire.
 */
export interface Piece {
  readonly text: string
  /** Under which a client may name it. */
  readonly id: string | undefined
}

interface Counted extends Piece {
  uses: number
}

export interface Pieces {
  /** Holds that text once more. */
  take(text: string, named?: { readonly id: string; readonly isOriginal: boolean }): Piece
  /** Lets it go once; with the last it is gone. */
  release(piece: Piece): void
  /** The bytes that taking all of these would add. */
  costOf(texts: readonly string[]): number
  find(id: string): Piece | undefined
}

/** What a piece costs beside its text, roughly: the object, its place in two maps. */
const PIECE_BYTES = 128

/** V8 keeps a string in one byte a character unless one of them needs two. */
const WIDE = /[\u0100-\uffff]/

const bytesOf = (text: string): number => PIECE_BYTES + text.length * (WIDE.test(text) ? 2 : 1)

export function createPieces(charge: (bytes: number) => void): Pieces {
  const pieces = new Map<string, Counted>()
  const named = new Map<string, Counted>()
  return {
    take(text, name) {
      let piece = pieces.get(text)
      if (piece === undefined) {
        piece = { text, id: name?.id, uses: 0 }
        pieces.set(text, piece)
        charge(bytesOf(text))
      }
      piece.uses += 1
      // What a client sends back may be less than what it was given: the original keeps its name.
      if (piece.id !== undefined && (name?.isOriginal === true || !named.has(piece.id)))
        named.set(piece.id, piece)
      return piece
    },
    release({ text }) {
      const piece = pieces.get(text)
      if (piece === undefined) return
      piece.uses -= 1
      if (piece.uses > 0) return
      pieces.delete(text)
      if (piece.id !== undefined && named.get(piece.id) === piece) named.delete(piece.id)
      charge(-bytesOf(text))
    },
    costOf(texts) {
      let bytes = 0
      for (const text of new Set(texts)) if (!pieces.has(text)) bytes += bytesOf(text)
      return bytes
    },
    find: (id) => named.get(id),
  }
}
