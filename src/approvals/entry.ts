/**
 * A ticket as the desk keeps it, and as others see it. Neighbours: `desk.ts`.
 */
import type { Decision } from '../policy/policy.ts'
import type { Asked } from './asked.ts'
import type { Answer, Ticket, TicketDecision, TicketSummary } from './ticket.ts'

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

/** All of a ticket but who waits, as plain values: so that another desk can take it over. */
export interface KeptTicket extends Pick<
  Entry,
  'ticket' | 'token' | 'asked' | 'askedAt' | 'deadlineAt' | 'status' | 'decision' | 'isUsed'
> {
  readonly isWaitedFor: boolean
}

export function toKept(entry: Entry): KeptTicket {
  const { ticket, token, asked, askedAt, deadlineAt, status, decision, isUsed } = entry
  const isWaitedFor = entry.waiters.size > 0
  return { ticket, token, asked, askedAt, deadlineAt, status, decision, isUsed, isWaitedFor }
}

/** Nobody waits for it here yet. */
export const toEntry = (
  { ticket, token, asked, askedAt, deadlineAt, status, decision, isUsed }: KeptTicket,
  now: number,
): Entry => ({
  ticket,
  token,
  asked,
  askedAt,
  deadlineAt,
  status,
  decision,
  isUsed,
  waiters: new Set(),
  timer: undefined,
  closedAt: status === 'pending' ? 0 : now,
})

/** Of long arguments a list shows only the beginning. */
const PREVIEW = 300

export function toSummary(
  entry: Pick<Entry, keyof KeptTicket & keyof Entry> & {
    readonly waiters: { readonly size: number }
  },
): TicketSummary {
  const { asked } = entry
  const { type, id, name, namespace, content } = asked.block
  return {
    ticket: entry.ticket,
    status: entry.status,
    policy: asked.policy,
    rule: asked.rule,
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

export function toTicket(entry: Parameters<typeof toSummary>[0]): Ticket {
  const summary = toSummary(entry)
  const { content, dialect } = entry.asked.block
  return {
    ...summary,
    call: { ...summary.call, content, isFreeText: dialect === 'custom' },
    decision: entry.decision,
  }
}

export const toTicketDecision = (
  answer: Answer,
  remember: TicketDecision['remember'],
  at: number,
): TicketDecision => ({
  type: answer.type,
  by: answer.by ?? 'admin',
  at,
  reason: answer.reason,
  args: answer.type === 'edit' ? answer.args : undefined,
  remember: answer.remember ?? remember,
})

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
