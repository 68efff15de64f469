/** Tickets in order, and news of one put where it belongs. Pure. Neighbours: `tickets.ts`. */
import type { Ticket, TicketSummary } from '../../src/approvals/ticket.ts'

/** As long as the gateway keeps them. */
const MAX_OVER = 1000

/** Somebody who waits goes before somebody who left; then by what is left of the time. */
export const byUrgency = (a: TicketSummary, b: TicketSummary): number =>
  Number(b.isWaitedFor) - Number(a.isWaitedFor) ||
  a.deadlineAt - b.deadlineAt ||
  a.askedAt - b.askedAt

/** Those that ended, the last one first, stand before the others, and once. */
export function mergeOver(
  before: readonly TicketSummary[],
  ended: readonly TicketSummary[],
): readonly TicketSummary[] {
  const latest = new Map(ended.map((one) => [one.ticket, one]))
  const others = before.filter((one) => !latest.has(one.ticket))
  return [...[...latest.values()].toReversed(), ...others].slice(0, MAX_OVER)
}

/** What is new of it, with the arguments that only the whole ticket has. */
export const mergeTicket = (before: Ticket, news: TicketSummary): Ticket =>
  before.decision !== undefined && news.decision === undefined
    ? before
    : {
        ...before,
        ...news,
        call: before.call,
        decision:
          news.decision === undefined
            ? undefined
            : { ...news.decision, args: news.decision.args ?? before.decision?.args },
      }

/** The one below or above in the list; the first where none is chosen. */
export function stepTo(
  list: readonly TicketSummary[],
  current: string | undefined,
  step: 1 | -1,
): TicketSummary | undefined {
  const at = list.findIndex(({ ticket }) => ticket === current)
  if (at === -1) return list[0]
  return list[Math.min(list.length - 1, Math.max(0, at + step))]
}
