/**
 * What gateways tell each other of a ticket: enough to list it and to find one about the same call. What it is about in
 * full stays in the table. Neighbours: `ticket-table.ts`, `share-approvals.ts`.
 */
import type { TicketSummary } from '../approvals/ticket.ts'

export interface TicketNote {
  readonly ticket: string
  /** Where somebody waits for it, or did last. */
  readonly gateway: string
  /** The `key` of what was asked: the same for the same call of the same conversation. */
  readonly likeness: string
  readonly isUsed: boolean
  readonly summary: TicketSummary
}
