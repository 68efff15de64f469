/**
 * What stands on the shelf: an answer, one that waits to be written down, or a note about a tool call. Neighbours: `answers.ts` and `by-call.ts`
 * put them there.
 */
import type { Link } from './chain.ts'
import type { AnswerEntry } from './entry.ts'
import type { Piece } from './pieces.ts'
import type { Shelf } from './shelf.ts'

export type Kept =
  | {
      readonly type: 'answer'
      /** The last turn of the conversation. */
      readonly link: Link
      readonly head: readonly KeptField[]
      readonly body: readonly KeptField[]
      release(): void
    }
  | {
      /** An answer that nobody has come back to: most never are, so that it is written down when one is. */
      readonly type: 'waiting'
      make(): AnswerEntry | undefined
      release(): void
    }
  | {
      readonly type: 'note'
      readonly piece: Piece
      /** The upstream that it came from. */
      readonly issuer: string | undefined
      release(): void
    }

/** A field of an object, or with no name the small ones together. */
export interface KeptField {
  readonly name: string | undefined
  readonly piece: Piece
}

export type Keeping = Shelf<Kept>

const MAX_ID_CHARS = 256

/** Whether something may be kept under it: ids come from upstreams, and longer ones are nobody's. */
export const isId = (id: string): boolean => id !== '' && id.length <= MAX_ID_CHARS
