/**
 * What is known here of tickets at other gateways. Neighbours: `share-approvals.ts`. Bounded: those that are over go
 * first, the oldest before the others.
 */
import type { ApprovalNews, TicketSummary } from '../approvals/ticket.ts'
import type { TicketNote } from './ticket-note.ts'

export interface TicketBoard {
  /** Whether more is known by now: what is decided stays decided. */
  isPast(note: TicketNote): boolean
  /** Gives back what was known of it before. */
  put(note: TicketNote): TicketNote | undefined
  remove(ticket: string): void
  has(ticket: string): boolean
  /** Together with those here: those that wait, the oldest first, then those that are over, the newest first. */
  with(here: readonly TicketSummary[]): readonly TicketSummary[]
}

const MAX_NOTES = 5000
/** As long as a desk remembers what is over. */
const KEPT_MS = 600_000

export function createTicketBoard(now: () => number = Date.now): TicketBoard {
  const notes = new Map<string, TicketNote & { readonly heardAt: number }>()

  function tidy(): void {
    const oldest = now() - KEPT_MS
    for (const [ticket, { summary, heardAt }] of notes) {
      const isOver = summary.status !== 'pending'
      if ((isOver && heardAt < oldest) || (notes.size > MAX_NOTES && isOver)) notes.delete(ticket)
    }
    for (const ticket of notes.keys()) {
      if (notes.size <= MAX_NOTES) return
      notes.delete(ticket)
    }
  }

  return {
    isPast: ({ ticket, summary }) =>
      summary.status !== 'decided' && notes.get(ticket)?.summary.status === 'decided',
    put(note) {
      const before = notes.get(note.ticket)
      notes.delete(note.ticket)
      notes.set(note.ticket, { ...note, heardAt: now() })
      if (notes.size > MAX_NOTES || notes.size % 100 === 0) tidy()
      return before
    },
    remove: (ticket) => void notes.delete(ticket),
    has: (ticket) => notes.has(ticket),
    with(here) {
      tidy()
      const known = new Set(here.map(({ ticket }) => ticket))
      const there = [...notes.values()].filter(({ ticket }) => !known.has(ticket))
      return [...here, ...there.map(({ summary }) => summary)].toSorted(byTurn)
    },
  }
}

function byTurn(one: TicketSummary, other: TicketSummary): number {
  const isPending = one.status === 'pending'
  if (isPending !== (other.status === 'pending')) return isPending ? -1 : 1
  return isPending ? one.askedAt - other.askedAt : other.askedAt - one.askedAt
}

/** What happened, by how it was before; `undefined`: nothing that anybody must know. */
export function toNewsType(
  before: TicketNote | undefined,
  { status, isWaitedFor }: TicketSummary,
): ApprovalNews['type'] | undefined {
  if (before === undefined) return status === 'pending' ? 'asked' : status
  const isSame = before.summary.status === status
  if (status !== 'pending') return isSame ? undefined : status
  return isSame && before.summary.isWaitedFor === isWaitedFor ? undefined : 'waiting'
}
