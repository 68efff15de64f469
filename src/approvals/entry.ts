/**
 * A ticket as the desk keeps it, and as others see it. Neighbours: `desk.ts`.
 */
import type { Decision } from '../policy/policy.ts'
import type { Asked } from './asked.ts'
import type { Ticket, TicketDecision, TicketSummary } from './ticket.ts'

export interface Waiter {
  readonly exchangeId: string
  tell(decision: Decision): void
}

export interface Entry {
  readonly ticket: string
  /** Lets its holder decide on this ticket and on nothing else. */
  readonly token: string
  readonly asked: Asked
  readonly askedAt: number
  readonly waiters: Set<Waiter>
  deadlineAt: number
  timer: NodeJS.Timeout | undefined
  status: TicketSummary['status']
  /** When it was decided or expired. */
  closedAt: number
  decision: TicketDecision | undefined
  /** Whether somebody got the decision. If not, it is kept for the client that asks again. */
  isUsed: boolean
}

/** Of long arguments a list shows only the beginning. */
const PREVIEW = 300

export function toSummary(entry: Entry): TicketSummary {
  const { asked } = entry
  const { type, id, name, namespace, content } = asked.block
  return {
    ticket: entry.ticket,
    status: entry.status,
    policy: asked.policy,
    question: asked.question,
    reason: asked.reason,
    askedAt: entry.askedAt,
    deadlineAt: entry.deadlineAt,
    isWaitedFor: entry.waiters.size > 0,
    client: asked.client,
    exchangeId: asked.exchangeId,
    conversationId: asked.conversationId,
    model: asked.model,
    call: { type, id, name, namespace, preview: toPreview(content) },
    decision: entry.decision === undefined ? undefined : { ...entry.decision, args: undefined },
  }
}

export function toTicket(entry: Entry): Ticket {
  const summary = toSummary(entry)
  const { content, dialect } = entry.asked.block
  return {
    ...summary,
    call: { ...summary.call, content, isFreeText: dialect === 'custom' },
    decision: entry.decision,
  }
}

/** What the engine is told of a decision. */
export function toDecision(ticket: string, decision: TicketDecision): Decision {
  const { type, by, reason, args } = decision
  return type === 'edit'
    ? { type, by, ticket, reason, args: args ?? {} }
    : { type, by, ticket, reason }
}

function toPreview(content: string): string {
  if (content.length <= PREVIEW) return content
  // Half of a pair would be no text.
  const cut = /[\uD800-\uDBFF]/.test(content.charAt(PREVIEW - 1)) ? PREVIEW - 1 : PREVIEW
  return `${content.slice(0, cut)}…`
}

/** About how much memory it takes. */
export const sizeOf = ({ block, question, tool }: Asked): number =>
  block.content.length + question.length + (tool === undefined ? 0 : JSON.stringify(tool).length)
