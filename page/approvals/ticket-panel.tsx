/**
 * One call that waits, or waited: what it would do, why somebody is asked, what was said before, and the decision.
 * Neighbours: `tickets.ts` has it, `decide.ts` decides, `around.ts` reads the conversation.
 */
import type { ReactElement } from 'react'
import type { Ticket, TicketSummary } from '../../src/approvals/ticket.ts'
import { ApiError } from '../core/api.ts'
import { IconButton } from '../kit/button.tsx'
import { Empty, Failed, Loading } from '../kit/states.tsx'
import { TicketBody } from './ticket-body.tsx'
import { useTicket } from './tickets.ts'

interface TicketPanelProps {
  readonly ticket: string
  readonly next: TicketSummary | undefined
  onNext(): void
  onClose(): void
}

export function TicketPanel({ ticket, next, onNext, onClose }: TicketPanelProps): ReactElement {
  const found = useTicket(ticket)
  const approval: Ticket | undefined = found.data?.approval
  return (
    <section
      aria-label={`Ticket ${ticket}`}
      className="flex min-h-0 min-w-0 flex-1 flex-col bg-page"
    >
      {approval === undefined ? (
        <>
          <div className="flex p-2 md:hidden">
            <IconButton icon="left" label="Back to the list" onClick={onClose} />
          </div>
          <NotThere error={found.error} ticket={ticket} onRetry={() => void found.refetch()} />
        </>
      ) : (
        <TicketBody
          key={approval.ticket}
          ticket={approval}
          note={found.data?.note}
          next={next}
          onNext={onNext}
          onClose={onClose}
        />
      )}
    </section>
  )
}

function NotThere({
  error,
  ticket,
  onRetry,
}: {
  readonly error: Error | null
  readonly ticket: string
  onRetry(): void
}): ReactElement {
  if (error === null) return <Loading />
  if (!(error instanceof ApiError && error.status === 404))
    return <Failed error={error} onRetry={onRetry} />
  return (
    <Empty icon="approvals" title={`There is no ticket ${ticket}`}>
      It was never there, or it is forgotten, as all are ten minutes after they are over. What
      became of the call stands in the record of its exchange.
    </Empty>
  )
}
