/**
 * The bytes of a request, in the pieces in which they came. An agent sends its whole conversation with every turn, some
 * 100 KB in pieces of 64, and to put them together takes as much memory again, which is what the garbage collector is
 * most often called for. So they are put together only for whoever wants to keep them in one; who looks them over does
 * that in a place that is used again, and an upstream gets the pieces. Neighbours: `body.ts` reads them, `request.ts`
 * looks, `upstream/http.ts` sends.
 */
import type { RequestBody } from '../upstream/upstream.ts'

/** How a body came that came packed. */
export interface Packed {
  readonly raw: Buffer
  readonly encoding: string
}

/** A class with plain fields: one is made for each exchange. */
export class Body {
  /** Of what it says, unpacked. */
  readonly length: number
  private pieces: readonly Buffer[]
  private readonly packed: Packed | undefined

  constructor(pieces: readonly Buffer[], packed?: Packed) {
    this.pieces = pieces.length === 0 ? NOTHING : pieces
    this.packed = packed
    let length = 0
    for (const piece of pieces) length += piece.length
    this.length = length
  }

  /** How it is packed, if it is. */
  get encoding(): string | undefined {
    return this.packed?.encoding
  }

  /** So many bytes came. */
  get rawLength(): number {
    return this.packed?.raw.length ?? this.length
  }

  /** As it came, for an upstream. */
  get raw(): RequestBody {
    return this.packed?.raw ?? one(this.pieces) ?? this.pieces
  }

  /** Unpacked and in one piece, for whoever keeps it. */
  get plain(): Buffer {
    const joined = one(this.pieces) ?? Buffer.concat(this.pieces, this.length)
    if (this.pieces.length !== 1) this.pieces = [joined]
    return joined
  }

  /** The same, but only until the call is over that looks: then its place is used again. */
  look(): Buffer {
    if (this.pieces.length === 1 || this.length > MAX_PLACE) return this.plain
    if (lies !== this.pieces) {
      if (place.length < this.length) place = Buffer.allocUnsafeSlow(roomFor(this.length))
      let at = 0
      for (const piece of this.pieces) at += piece.copy(place, at)
      lies = this.pieces
    }
    return place.subarray(0, this.length)
  }

  /** Those bytes, as they lie in the pieces. */
  slice(from: number, to: number): readonly Buffer[] {
    const cut: Buffer[] = []
    let start = 0
    for (const piece of this.pieces) {
      const part = piece.subarray(Math.max(0, from - start), Math.max(0, to - start))
      if (part.length > 0) cut.push(part)
      start += piece.length
    }
    return cut
  }
}

const NOTHING = [Buffer.alloc(0)]

const one = (pieces: readonly Buffer[]): Buffer | undefined =>
  pieces.length === 1 ? pieces[0] : undefined

/** What is larger is rare, and is put together. */
const MAX_PLACE = 1024 * 1024
let place = Buffer.alloc(0)
/** Whose bytes lie there. */
let lies: readonly Buffer[] | undefined

const roomFor = (length: number): number => Math.min(MAX_PLACE, 2 ** Math.ceil(Math.log2(length)))
