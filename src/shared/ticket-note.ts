/**
 * What gateways tell each other of a ticket: enough to list it. What it is about in full stays in the table. Neighbours: `ticket-table.ts`, `share-approvals.ts`.
 */
import type { TicketSummary } from '../approvals/ticket.ts'

export interface TicketNote {
  readonly ticket: string
  /** Where somebody waits for it, or did last. */
  readonly gateway: string
  readonly summary: TicketSummary
}
