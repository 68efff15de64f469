/**
 * What gateways and workers tell each other, and the one shape of whatever carries it. Three forms: within a process
 * (`hub.ts`), between the processes of one machine (`message-circle.ts`), over Postgres (`postgres-line.ts`).
 * Neighbours: the `share-*.ts` say and hear; they know no form. Letters are plain JSON and never wait for an answer.
 */
import type { HaltState } from '../approvals/halt.ts'
import type { RememberedDecision } from '../approvals/remembered.ts'
import type { Origin } from '../exchange/origins.ts'
import type { SessionEntry } from '../session/entry.ts'
import type { FeedEvent } from '../store/feed.ts'
import type { BodyKind } from '../store/record.ts'
import type { Spent, UnderWay } from './ledger.ts'
import type { TicketNote } from './ticket-note.ts'

export type News =
  | { readonly type: 'spent'; readonly spent: readonly Spent[] }
  /** All that is under way where it comes from. */
  | { readonly type: 'under-way'; readonly underWay: UnderWay }
  /** Which upstream keeps which answer. */
  | { readonly type: 'origins'; readonly origins: readonly Origin[] }
  /** What was said before, for clients that name it. */
  | { readonly type: 'sessions'; readonly entries: readonly SessionEntry[] }
  | { readonly type: 'halt'; readonly state: HaltState }
  | { readonly type: 'remembered'; readonly decisions: readonly RememberedDecision[] }
  /** A ticket changed; the newest note of each holds. */
  | { readonly type: 'tickets'; readonly notes: readonly TicketNote[] }
  /** The store has other modes or edits of policies than before. */
  | { readonly type: 'policy-modes' }
  /** The store has other keys of clients than before. */
  | { readonly type: 'gateway-keys' }
  /** Somebody looks at the live feed there. Told again while it is so; `isNew`: what is open must be told first. */
  | { readonly type: 'listening'; readonly isNew: boolean }
  | { readonly type: 'events'; readonly events: readonly FeedEvent[] }
  /** Somebody there wants to see the bytes of one exchange, or of all. Told again while it is so. */
  | { readonly type: 'watching'; readonly ask: string; readonly id: string | undefined }
  | {
      readonly type: 'pieces'
      readonly ask: string
      readonly pieces: readonly SentPiece[]
      /** Nothing more comes. */
      readonly isOver: boolean
    }

/** A `LivePiece` as text. */
export interface SentPiece {
  readonly id: string
  readonly kind: BodyKind
  readonly base64: string
  readonly at: number
}

export interface Letter {
  /** A gateway, or `gateway.number` for one of its workers. */
  readonly from: string
  /** One of the others; `undefined`: all of them. */
  readonly to: string | undefined
  readonly news: News
}

/** Everybody else, as one of them sees it. */
export interface Circle {
  readonly self: string
  /** Never throws and never waits. What cannot be told now is told later, or dropped where it would be too old. */
  tell(news: News, to?: string): void
  /** Gives back how to stop. */
  onLetter(callback: (letter: Letter) => void): () => void
  /** Some are gone, or cannot be reached. */
  onGone(callback: (isMeant: (who: string) => boolean) => void): () => void
  /** Resolves when all that others have told up to now was heard, as far as that can be known, and soon in any case. */
  catchUp(): Promise<void>
}

/** A gateway with all its workers, or one worker; or everybody beyond one gateway. */
export type Gone = { readonly who: string } | { readonly allBut: string }

/** Whether that is about somebody. */
export const isMeant =
  (gone: Gone) =>
  (who: string): boolean =>
    'who' in gone
      ? who === gone.who || who.startsWith(`${gone.who}.`)
      : gatewayOf(who) !== gone.allBut

export const gatewayOf = (who: string): string => who.split('.', 1)[0] ?? who
