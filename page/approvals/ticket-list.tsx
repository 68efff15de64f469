/**
 * Calls that wait above those that are over, in one list of which only what is seen is drawn. Neighbours:
 * `approvals-view.tsx` says which is chosen. A row counts its seconds by itself; the list is drawn when tickets change.
 */
import { useVirtualizer } from '@tanstack/react-virtual'
import { memo, useEffect, useMemo, useRef, type ReactElement } from 'react'
import type { TicketSummary } from '../../src/approvals/ticket.ts'
import { firstLine, showName } from '../blocks/plain.ts'
import { plural, toTime } from '../core/format.ts'
import { toHref } from '../core/route.ts'
import { Badge } from '../kit/badge.tsx'
import { classes } from '../kit/classes.ts'
import { Left, LeftBar } from './countdown.tsx'
import { previewOf } from './arguments.ts'
import { clientOf, nameOf, toEnd } from './words.ts'

interface TicketListProps {
  readonly waiting: readonly TicketSummary[]
  readonly over: readonly TicketSummary[]
  readonly selected: string | undefined
}

type Row =
  | { readonly type: 'head'; readonly says: string }
  | { readonly type: 'waiting' | 'over'; readonly ticket: TicketSummary }

const HEIGHTS: Readonly<Record<Row['type'], number>> = { head: 28, waiting: 58, over: 30 }

export function TicketList({ waiting, over, selected }: TicketListProps): ReactElement {
  const place = useRef<HTMLDivElement>(null)
  const rows = useMemo(() => toRows(waiting, over), [waiting, over])
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => place.current,
    estimateSize: (at) => HEIGHTS[rows[at]?.type ?? 'over'],
    getItemKey: (at) => keyOf(rows[at]),
    overscan: 12,
    useFlushSync: false,
  })
  useEffect(() => {
    const at = rows.findIndex((row) => row.type !== 'head' && row.ticket.ticket === selected)
    if (at !== -1) list.scrollToIndex(at)
    // Where the chosen one is at that moment: later moves must not scroll under a pointer.
  }, [selected])
  return (
    <div ref={place} className="min-h-0 flex-1 overflow-auto" tabIndex={-1}>
      <ul
        aria-label="Approvals"
        className="relative"
        style={{ height: `${list.getTotalSize()}px` }}
      >
        {list.getVirtualItems().map(({ index, key, start, size }) => {
          const row = rows[index]
          return row === undefined ? null : (
            <li
              key={key}
              className="absolute inset-x-0 top-0"
              style={{ height: `${size}px`, transform: `translateY(${start}px)` }}
            >
              {row.type === 'head' ? (
                <p className="flex h-full items-end px-3 pb-1 text-2xs font-medium text-faint">
                  {row.says}
                </p>
              ) : (
                <TicketRow ticket={row.ticket} isSelected={row.ticket.ticket === selected} />
              )}
            </li>
          )
        })}
      </ul>
    </div>
  )
}

const keyOf = (row: Row | undefined): string =>
  row === undefined ? '' : row.type === 'head' ? row.says.replace(/^\d+ /, '') : row.ticket.ticket

function toRows(waiting: readonly TicketSummary[], over: readonly TicketSummary[]): readonly Row[] {
  const heads = (says: string, count: number): readonly Row[] =>
    count === 0 ? [] : [{ type: 'head', says }]
  return [
    ...heads(`${plural(waiting.length, 'call waits', 'calls wait')}`, waiting.length),
    ...waiting.map((ticket) => ({ type: 'waiting', ticket }) as const),
    ...heads('Over', over.length),
    ...over.map((ticket) => ({ type: 'over', ticket }) as const),
  ]
}

const TicketRow = memo(function TicketRow({
  ticket,
  isSelected,
}: {
  readonly ticket: TicketSummary
  readonly isSelected: boolean
}): ReactElement {
  return (
    <a
      href={toHref('approvals', [ticket.ticket])}
      aria-current={isSelected ? 'true' : undefined}
      className={classes(
        'relative block h-full border-b border-line px-3 -outline-offset-2!',
        isSelected ? 'bg-selected' : 'hover:bg-hover',
      )}
    >
      {ticket.status === 'pending' ? <Waiting ticket={ticket} /> : <Over ticket={ticket} />}
    </a>
  )
})

function Waiting({ ticket }: { readonly ticket: TicketSummary }): ReactElement {
  return (
    <>
      <span className="flex items-center gap-2 pt-1.5">
        <span
          className="max-w-[60%] shrink-0 truncate font-mono text-xs font-semibold"
          title={nameOf(ticket)}
        >
          {nameOf(ticket)}
        </span>
        <span className="min-w-0 flex-1 truncate font-mono text-xs text-muted">
          {firstLine(previewOf(ticket))}
        </span>
        <Left ticket={ticket} />
      </span>
      <span className="flex min-w-0 items-center gap-1.5 text-xs text-faint">
        {ticket.isWaitedFor ? null : (
          <Badge tone="warn" title="Nobody waits for the decision now">
            client gone
          </Badge>
        )}
        <span className="truncate">
          {clientOf(ticket)} · {showName(ticket.model)}
        </span>
      </span>
      <LeftBar ticket={ticket} className="absolute inset-x-3 bottom-1 rounded-full" />
    </>
  )
}

function Over({ ticket }: { readonly ticket: TicketSummary }): ReactElement {
  const { says, tone } = toEnd(ticket)
  const { decision } = ticket
  return (
    <span className="flex h-full items-center gap-2 text-xs">
      <span className="w-14 shrink-0">
        <Badge tone={tone}>{says}</Badge>
      </span>
      <span className="max-w-[50%] min-w-0 truncate font-mono" title={nameOf(ticket)}>
        {nameOf(ticket)}
      </span>
      <span className="min-w-0 flex-1 truncate text-faint" title={decision?.reason}>
        {decision === undefined ? 'nobody decided' : showName(decision.by)}
      </span>
      <span className="tabular shrink-0 text-faint">
        {toTime(decision?.at ?? ticket.deadlineAt)}
      </span>
    </span>
  )
}
