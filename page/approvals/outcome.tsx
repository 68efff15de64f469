/** How a ticket ended: what, by whom, when, why, and where the rest is to be read. */
import type { ReactElement } from 'react'
import type { Ticket } from '../../src/approvals/ticket.ts'
import { showHidden, showName } from '../blocks/plain.ts'
import { TextDiff } from '../blocks/text-diff.tsx'
import { toTime, toWholeTime } from '../core/format.ts'
import { toHref } from '../core/route.ts'
import { Badge } from '../kit/badge.tsx'
import { Button } from '../kit/button.tsx'
import { Icon } from '../kit/icons.tsx'
import { toPretty, writeArguments } from './arguments.ts'
import { OUTCOMES, REMEMBERS, toEnd } from './words.ts'

export function Outcome({
  ticket,
  onLate,
}: {
  readonly ticket: Ticket
  /** Decides all the same, for a client that asks again. */
  onLate(): void
}): ReactElement {
  const { decision, exchangeId } = ticket
  const { says, tone } = toEnd(ticket)
  const at = decision?.at ?? ticket.deadlineAt
  return (
    <section
      role="status"
      aria-label="Outcome"
      className="flex shrink-0 flex-col gap-1.5 border-t border-line bg-surface px-4 py-3 text-sm"
    >
      <p className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
        <Badge tone={tone}>{says}</Badge>
        <span className="min-w-0 truncate">
          {decision === undefined ? 'Nobody decided in time' : `by ${showName(decision.by)}`}
        </span>
        <time title={toWholeTime(at)} className="tabular text-xs text-faint">
          {toTime(at)}
        </time>
        <a
          href={toHref('exchange', [exchangeId])}
          className="ml-auto inline-flex items-center gap-1 text-xs text-accent hover:underline"
        >
          The exchange <Icon name="right" size={12} />
        </a>
      </p>
      {decision?.reason === undefined ? null : (
        <p className="verbatim max-h-40 overflow-auto">{showHidden(decision.reason)}</p>
      )}
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5 text-xs text-muted">
        <p className="min-w-0 flex-1 basis-60">{sayOutcome(ticket)}</p>
        {decision === undefined ? <Button onClick={onLate}>Decide all the same</Button> : null}
      </div>
      {decision?.args === undefined ? null : (
        <div className="max-h-60 overflow-auto">
          <TextDiff before={toPretty(ticket.call.content)} after={writeArguments(decision.args)} />
        </div>
      )}
    </section>
  )
}

function sayOutcome({ decision }: Ticket): string {
  if (decision === undefined)
    return 'The call did not run, and the model read that nobody decided in time.'
  const holds = REMEMBERS.find(({ value }) => value === decision.remember)
  return decision.remember === 'once'
    ? OUTCOMES[decision.type]
    : `${OUTCOMES[decision.type]} ${holds?.says ?? ''}`
}
