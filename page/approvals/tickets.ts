/**
 * Calls that wait and calls that are over, as the view holds them. Neighbours: `core/feed.ts` has those that wait, the
 * gateway is asked for those that are over and for one in full; news of the feed are put into the answers, so that nobody
 * looks at a ticket that somebody else has decided. Nothing here is guessed: all of it is what the gateway says.
 */
import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import type { ApprovalAnswer, ApprovalsAnswer } from '../../src/api/types.ts'
import type { TicketSummary } from '../../src/approvals/ticket.ts'
import { api, queries } from '../core/api.ts'
import { onFeed, pendingTickets } from '../core/feed.ts'
import { useStore } from '../core/store.ts'
import { byUrgency, mergeOver, mergeTicket } from './ticket-order.ts'

export interface Tickets {
  /** The most urgent first. */
  readonly waiting: readonly TicketSummary[]
  /** What ended last first. */
  readonly over: readonly TicketSummary[]
  readonly isLoading: boolean
  readonly error: Error | null
}

const LIST = ['approvals']
const oneOf = (ticket: string): readonly string[] => ['approval', ticket]

export function useTickets(): Tickets {
  const waiting = useStore(pendingTickets)
  const list = useQuery({
    queryKey: LIST,
    queryFn: () => api.approvals(),
    // To compare a thousand tickets field by field costs more than to draw those that are seen.
    structuralSharing: false,
  })
  useEffect(followNews, [])
  const all = list.data?.approvals
  const sorted = useMemo(() => {
    const over = all?.filter(({ status }) => status !== 'pending') ?? []
    const ended = new Set(over.map(({ ticket }) => ticket))
    return {
      over,
      waiting: waiting.filter(({ ticket }) => !ended.has(ticket)).toSorted(byUrgency),
    }
  }, [all, waiting])
  return { ...sorted, isLoading: list.isPending, error: list.error }
}

/** Once per frame: when many are decided at once, the list is drawn a few times and not for each. */
function followNews(): () => void {
  let news: TicketSummary[] = []
  let frame = 0
  const stop = onFeed((event) => {
    if (!('ticket' in event)) return
    news.push(event.ticket)
    frame ||= requestAnimationFrame(() => {
      frame = 0
      note(news.splice(0))
    })
  })
  return () => {
    stop()
    cancelAnimationFrame(frame)
    news = []
  }
}

/** One with all of its arguments. */
export const useTicket = (ticket: string): UseQueryResult<ApprovalAnswer> =>
  useQuery({ queryKey: oneOf(ticket), queryFn: () => api.approval(ticket) })

/** What the gateway answered to a decision. */
export function noteAnswer(answer: ApprovalAnswer): void {
  queries.setQueryData(oneOf(answer.approval.ticket), answer)
  noteInList([answer.approval])
}

export const askAgain = (ticket: string): Promise<void> =>
  queries.invalidateQueries({ queryKey: oneOf(ticket) })

function note(news: readonly TicketSummary[]): void {
  for (const ticket of news) {
    const key = oneOf(ticket.ticket)
    // Most were never looked at.
    if (queries.getQueryData(key) === undefined) continue
    queries.setQueryData<ApprovalAnswer>(
      key,
      (before) => before && { ...before, approval: mergeTicket(before.approval, ticket) },
    )
    // The feed does not say with what arguments.
    if (ticket.decision?.type === 'edit') void askAgain(ticket.ticket)
  }
  noteInList(news.filter(({ status }) => status !== 'pending'))
}

const noteInList = (ended: readonly TicketSummary[]): unknown =>
  ended.length === 0
    ? undefined
    : queries.setQueryData<ApprovalsAnswer>(
        LIST,
        (before) => before && { approvals: mergeOver(before.approvals, ended) },
      )
