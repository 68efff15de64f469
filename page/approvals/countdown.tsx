/** How long a person still has: a bar and seconds, for a row of the list and for the head of the chosen ticket. */
import type { ReactElement } from 'react'
import type { TicketSummary } from '../../src/approvals/ticket.ts'
import { classes } from '../kit/classes.ts'
import { Icon } from '../kit/icons.tsx'
import { useClock } from './clock.ts'
import { toLeft, toShare, URGENT_MS } from './words.ts'

type Times = Pick<TicketSummary, 'askedAt' | 'deadlineAt'>

/** Counts by itself, so that what is around it need not be drawn every second. */
export function Left({ ticket }: { readonly ticket: Times }): ReactElement {
  const left = ticket.deadlineAt - useClock()
  return (
    <span
      className={classes(
        'tabular inline-flex shrink-0 items-center gap-1 text-xs whitespace-nowrap',
        left <= URGENT_MS ? 'font-semibold text-warn' : 'text-muted',
      )}
    >
      {left <= URGENT_MS ? <Icon name="warn" size={12} /> : null}
      {toLeft(left)}
    </span>
  )
}

export function LeftBar({
  ticket,
  className = '',
}: {
  readonly ticket: Times
  readonly className?: string
}): ReactElement {
  const now = useClock()
  const isUrgent = ticket.deadlineAt - now <= URGENT_MS
  return (
    <div aria-hidden="true" className={classes('h-0.5 overflow-hidden bg-raised', className)}>
      <div
        className={classes(
          'h-full transition-[width] duration-1000 ease-linear',
          isUrgent ? 'bg-warn' : 'bg-hold',
        )}
        style={{ width: `${toShare(ticket, now) * 100}%` }}
      />
    </div>
  )
}

/** The whole of it, with what happens when it runs out. */
export function Countdown({ ticket }: { readonly ticket: TicketSummary }): ReactElement {
  const now = useClock()
  const left = ticket.deadlineAt - now
  const isUrgent = left <= URGENT_MS
  return (
    <div
      role="timer"
      aria-label="Time left to decide"
      className="flex min-w-0 flex-wrap items-baseline gap-x-2 text-xs"
    >
      <span
        className={classes(
          'tabular font-semibold whitespace-nowrap',
          isUrgent ? 'text-warn' : 'text-ink',
        )}
      >
        {toLeft(left)} left
      </span>
      <span className="text-muted">
        then it is not run, and the model reads that nobody decided in time.
      </span>
    </div>
  )
}
