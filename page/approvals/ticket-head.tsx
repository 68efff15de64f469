/** The name of a call and how long is left for it. */
import type { ReactElement } from 'react'
import type { Ticket } from '../../src/approvals/ticket.ts'
import { Badge } from '../kit/badge.tsx'
import { IconButton } from '../kit/button.tsx'
import { CopyButton } from '../kit/copy.tsx'
import { Countdown, LeftBar } from './countdown.tsx'
import { nameOf, toEnd } from './words.ts'

export function TicketHead({
  ticket,
  onClose,
}: {
  readonly ticket: Ticket
  onClose(): void
}): ReactElement {
  const isPending = ticket.status === 'pending'
  const { says, tone } = toEnd(ticket)
  return (
    <header className="shrink-0 bg-surface">
      <div className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1 px-4 py-2">
        <span className="-ml-2 md:hidden">
          <IconButton icon="left" label="Back to the list" onClick={onClose} />
        </span>
        <h2 className="min-w-0 truncate font-mono text-base font-semibold" title={nameOf(ticket)}>
          {nameOf(ticket)}
        </h2>
        <Badge tone={isPending ? 'hold' : tone}>{isPending ? 'Waits' : says}</Badge>
        <span className="ml-auto flex items-center font-mono text-xs text-faint">
          {ticket.ticket}
          <CopyButton isSmall label="Copy the link" text={location.href} />
        </span>
        {isPending ? (
          <div className="w-full">
            <Countdown ticket={ticket} />
          </div>
        ) : null}
      </div>
      {isPending ? <LeftBar ticket={ticket} /> : <div className="h-px bg-line" />}
    </header>
  )
}
