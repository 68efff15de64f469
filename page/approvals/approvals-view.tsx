/**
 * Approvals: calls that wait for a person, the chosen one beside them, and the kill switch. Neighbours: `tickets.ts` has the
 * tickets; `#/approvals/TICKET` chooses one, so that a link to it can be sent.
 */
import { useEffect, type ReactElement } from 'react'
import { readTicketName } from '../../src/approvals/ticket.ts'
import { go, toHref, usePlace } from '../core/route.ts'
import { useShortcuts } from '../core/shortcuts.ts'
import { Badge } from '../kit/badge.tsx'
import { classes } from '../kit/classes.ts'
import { Failed, Loading } from '../kit/states.tsx'
import { Toolbar } from '../kit/toolbar.tsx'
import { AlertSwitches } from './alert-switches.tsx'
import { KillSwitch } from './kill-switch.tsx'
import { NoApprovals } from './no-approvals.tsx'
import { TicketList } from './ticket-list.tsx'
import { stepTo } from './ticket-order.ts'
import { TicketPanel } from './ticket-panel.tsx'
import { useTickets, type Tickets } from './tickets.ts'

/** Room for a list and a ticket beside one another: Tailwind's `md`. */
const WIDE = matchMedia('(min-width: 48rem)')

const select = (ticket: string | undefined, isQuiet = false): void =>
  go(toHref('approvals', ticket === undefined ? [] : [ticket]), isQuiet)

export function ApprovalsView(): ReactElement {
  const { parts } = usePlace()
  const tickets = useTickets()
  const { waiting, over } = tickets
  const selected = parts[0] === undefined ? undefined : readTicketName(parts[0])
  const first = waiting[0]?.ticket
  // What is shown without being chosen stays: a more urgent one must not slip under a finger.
  useEffect(() => {
    if (selected === undefined && first !== undefined && WIDE.matches) select(first, true)
  }, [selected, first])
  const all = [...waiting, ...over]
  const step = (by: 1 | -1): void => {
    const next = stepTo(all, selected, by)
    if (next !== undefined) select(next.ticket, true)
  }
  const next = waiting.find(({ ticket }) => ticket !== selected)
  useShortcuts([
    { keys: 'j', says: 'Next call', run: () => step(1) },
    { keys: 'k', says: 'Call before', run: () => step(-1) },
  ])
  return (
    <>
      <Toolbar
        title="Approvals"
        end={
          <>
            <AlertSwitches />
            <KillSwitch />
          </>
        }
      >
        {waiting.length === 0 ? null : (
          <span className="max-sm:hidden">
            <Badge tone="hold">{waiting.length} waiting</Badge>
          </span>
        )}
      </Toolbar>
      <div className="flex min-h-0 flex-1">
        <ListOrNothing tickets={tickets} selected={selected} />
        {selected === undefined ? (
          <NothingChosen isEmpty={all.length === 0} />
        ) : (
          <TicketPanel
            ticket={selected}
            next={next}
            onNext={() => select(next?.ticket, true)}
            onClose={() => (WIDE.matches ? undefined : select(undefined))}
          />
        )}
      </div>
    </>
  )
}

function ListOrNothing({
  tickets: { waiting, over, isLoading, error },
  selected,
}: {
  readonly tickets: Tickets
  readonly selected: string | undefined
}): ReactElement | null {
  if (waiting.length + over.length === 0) {
    if (isLoading) return <Loading />
    if (error !== null) return <Failed error={error} />
    return selected === undefined ? <NoApprovals /> : null
  }
  return (
    <div
      className={classes(
        'flex min-h-0 w-full shrink-0 flex-col border-line bg-surface md:w-72 md:border-r xl:w-96',
        selected !== undefined && 'max-md:hidden',
      )}
    >
      <TicketList waiting={waiting} over={over} selected={selected} />
    </div>
  )
}

const NothingChosen = ({ isEmpty }: { readonly isEmpty: boolean }): ReactElement | null =>
  isEmpty ? null : (
    <p className="flex flex-1 items-center justify-center text-sm text-faint max-md:hidden">
      No call waits. Choose one to see what was decided.
    </p>
  )
