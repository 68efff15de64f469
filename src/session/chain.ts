/**
 * Conversations that go on from each other and share what came before: turn n holds its own pieces and turn
 * n-1, so that fifty turns take the room of fifty. A turn lives as long as somebody holds it or a turn behind
 * it: forgetting an answer never breaks a conversation that goes on. Neighbours: `pieces.ts`; `answers.ts`
 * holds the last turn of each. Knows no wire.
 */
import type { Piece, Pieces } from './pieces.ts'

export interface Link {
  readonly before: Link | undefined
  readonly input: readonly Piece[]
  readonly output: readonly Piece[]
}

interface Counted extends Link {
  readonly before: Counted | undefined
  uses: number
}

export interface Chain {
  /** A turn behind another, held once. The pieces are handed over with it. */
  add(turn: Link): Link
  release(link: Link): void
}

const LINK_BYTES = 96
const PLACE_BYTES = 16

const bytesOf = ({ input, output }: Link): number =>
  LINK_BYTES + PLACE_BYTES * (input.length + output.length)

export function createChain(pieces: Pieces, charge: (bytes: number) => void): Chain {
  const links = new WeakMap<Link, Counted>()

  return {
    add({ before, input, output }) {
      const parent = before === undefined ? undefined : links.get(before)
      if (parent !== undefined) parent.uses += 1
      const link: Counted = { before: parent, input, output, uses: 1 }
      links.set(link, link)
      charge(bytesOf(link))
      return link
    },
    release(last) {
      // A loop: a conversation may be longer than the stack is deep.
      let link = links.get(last)
      while (link !== undefined) {
        link.uses -= 1
        if (link.uses > 0) return
        for (const piece of link.input) pieces.release(piece)
        for (const piece of link.output) pieces.release(piece)
        charge(-bytesOf(link))
        link = link.before
      }
    },
  }
}

/** All pieces of a conversation, the first one first. */
export function piecesOf(last: Link): readonly Piece[] {
  const links: Link[] = []
  for (let link: Link | undefined = last; link !== undefined; link = link.before) links.push(link)
  return links.toReversed().flatMap(({ input, output }) => [...input, ...output])
}
