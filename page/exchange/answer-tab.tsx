/**
 * The answer as blocks, with the waterfall above and its end below; of one that goes on, as far as it has come. Neighbours:
 * `answer-shown.ts` says what there is, `answer-row.tsx` draws a block.
 */
import { useMemo, useState, type ReactElement } from 'react'
import { pendingTickets } from '../core/feed.ts'
import { plural } from '../core/format.ts'
import { useNow } from '../core/now.ts'
import { useStore } from '../core/store.ts'
import { Button } from '../kit/button.tsx'
import { AnswerEnd, Remark } from './answer-end.tsx'
import type { LiveAnswer } from './answer-live.ts'
import { isActing, type AnswerRow } from './answer-model.ts'
import { AnswerRowView } from './answer-row.tsx'
import type { AnswerShown } from './answer-shown.ts'
import { Waterfall } from './waterfall.tsx'
import { toLanes } from './waterfall-scale.ts'

interface AnswerTabProps {
  readonly shown: AnswerShown
  onChoose(key: string): void
}

/** Nobody reads more at once, and each costs a little to draw. */
const STEP = 100

export function AnswerTab({ shown, onChoose }: AnswerTabProps): ReactElement {
  const { rows, live, notes } = shown
  const [count, setCount] = useState(STEP)
  const tickets = useStore(pendingTickets)
  const isOpen = live !== undefined
  const last = rows.length - 1
  return (
    <>
      {live === undefined ? (
        <StillWaterfall shown={shown} onChoose={onChoose} />
      ) : (
        <RunningWaterfall shown={shown} live={live} onChoose={onChoose} />
      )}
      <div className="flex flex-col gap-2 p-3">
        {notes.map((note) => (
          <Remark key={note}>{note}</Remark>
        ))}
        {isOpen || rows.length + notes.length > 0 || shown.fault !== undefined ? null : (
          <Remark>There is not a single block in the answer: see Raw for what came</Remark>
        )}
        {rows.slice(0, count).map((row, at) => (
          <AnswerRowView
            key={row.key}
            row={row}
            isLive={isOpen && at === last && row.block?.isComplete === false}
            heldSince={live && isHeld(live, row) ? toHeldSince(shown, row) : undefined}
            ticket={ticketOf(tickets, live, row)}
            memory={`${shown.id} ${row.key}`}
          />
        ))}
        {rows.length > count ? (
          <Button onClick={() => setCount(count + STEP)}>
            Show {Math.min(STEP, rows.length - count)} more of {plural(rows.length, 'block')}
          </Button>
        ) : null}
        {live === undefined ? <AnswerEnd {...shown} /> : <Waiting live={live} />}
      </div>
    </>
  )
}

function StillWaterfall({ shown, onChoose }: AnswerTabProps): ReactElement {
  const lanes = useMemo(() => toLanes(shown.rows), [shown.rows])
  return (
    <Waterfall lanes={lanes} total={shown.total} firstByte={shown.firstByte} onChoose={onChoose} />
  )
}

function RunningWaterfall({
  shown,
  live,
  onChoose,
}: AnswerTabProps & { readonly live: LiveAnswer }): ReactElement {
  const now = (useNow(200) - shown.startedAt) * 1000
  const total = Math.max(now, shown.total)
  return (
    <Waterfall
      lanes={toLanes(shown.rows, total, (row) => isHeld(live, row))}
      total={total}
      firstByte={shown.firstByte}
      isLive
      onChoose={onChoose}
    />
  )
}

const HELD = new Set(['text', 'refusal', 'tool-call'])

/** It has come, nothing of it has left, and nobody has stopped it; one policy that lets it pass may not be the last. */
function isHeld(live: LiveAnswer, { block, verdicts, releasedAt }: AnswerRow): boolean {
  if (block === undefined || !HELD.has(block.type) || releasedAt !== undefined) return false
  return live.hasLeft && !verdicts.some((one) => isActing(one) && one.type !== 'pass')
}

const toHeldSince = ({ startedAt }: AnswerShown, { block }: AnswerRow): number =>
  Math.round(startedAt + (block?.startedAt ?? 0) / 1000)

type Tickets = ReturnType<typeof pendingTickets.get>

function ticketOf(
  tickets: Tickets,
  live: LiveAnswer | undefined,
  { block }: AnswerRow,
): string | undefined {
  if (live === undefined || block === undefined) return undefined
  const { id, requestId } = live.exchange
  return tickets.find(
    (one) => (one.exchangeId === requestId || one.exchangeId === id) && one.call.id === block.id,
  )?.ticket
}

function Waiting({ live }: { readonly live: LiveAnswer }): ReactElement {
  const says =
    live.state === 'lost'
      ? 'The connection was lost: it is tried again'
      : live.upstream.length === 0
        ? 'Waiting for the first byte'
        : 'The answer goes on'
  return (
    <p role="status" className="flex items-center gap-2 px-1 pb-2 text-xs text-muted">
      <span className="breathe size-1.5 rounded-full bg-accent" />
      {says} …
    </p>
  )
}
