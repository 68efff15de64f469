/**
 * What stands in the cells of a line. Neighbours: `row-line.tsx` puts them in place. Names come from clients and models: they
 * are text, with nothing hidden in it.
 */
import type { ReactElement } from 'react'
import { showName } from '../blocks/plain.ts'
import { toDuration, toTime, toWireName } from '../core/format.ts'
import { Badge, VerdictBadge } from '../kit/badge.tsx'
import { classes } from '../kit/classes.ts'
import { toPolicyPlace, type LiveRow, type RowState } from './row.ts'
import { useTick } from './ticks.ts'

const STATES: Readonly<Record<RowState, { readonly says: string; readonly look: string }>> = {
  open: {
    says: 'Open',
    look: 'rounded-full border-2 border-accent border-r-transparent animate-spin',
  },
  done: { says: 'Done', look: 'rounded-full bg-ok' },
  refused: { says: 'Refused by the gateway', look: 'rounded-[1px] bg-warn' },
  'upstream-error': { says: 'Error of the upstream', look: 'rounded-[1px] bg-bad' },
  broken: { says: 'Broken off', look: 'rounded-[1px] rotate-45 scale-90 bg-bad' },
  'client-left': { says: 'The client left', look: 'rounded-full border-2 border-line-strong' },
  gone: { says: 'Lost: its gateway is gone', look: 'rounded-full border-2 border-line-strong' },
}

const WAITING = { says: 'Waits for a person', look: 'rounded-full border-2 border-hold breathe' }

export function StateMark({
  row,
  isWaiting,
}: {
  readonly row: LiveRow
  readonly isWaiting: boolean
}): ReactElement {
  const { says, look } = isWaiting ? WAITING : STATES[row.state]
  const title = row.fault === undefined ? says : `${says}: ${showName(row.fault)}`
  return (
    <span role="img" aria-label={says} title={title} className="flex size-3.5 items-center">
      <span className={classes('mx-auto block size-2.5', look)} />
    </span>
  )
}

export function Duration({ row }: { readonly row: LiveRow }): ReactElement {
  return row.state === 'open' ? <Clock since={row.startedAt} /> : <>{toDuration(row.durationMs)}</>
}

function Clock({ since }: { readonly since: number }): ReactElement {
  const passed = Math.max(0, useTick() - since)
  return (
    <span className="text-accent">
      {passed < 60_000 ? `${(passed / 1000).toFixed(1)} s` : toDuration(passed)}
    </span>
  )
}

/** As the client said it, and what it is called there if that is something else. */
export function ModelName({ row }: { readonly row: LiveRow }): ReactElement {
  const { model, upstreamModel } = row
  return (
    <>
      {model === undefined ? <span className="text-faint">{row.endpoint}</span> : showName(model)}
      {upstreamModel === undefined || upstreamModel === model ? null : (
        <span className="text-faint"> → {showName(upstreamModel)}</span>
      )}
    </>
  )
}

export const toModelTitle = ({ model, upstreamModel, answerModel }: LiveRow): string =>
  [
    model === undefined ? undefined : `Asked for ${showName(model)}`,
    upstreamModel === undefined || upstreamModel === model
      ? undefined
      : `sent as ${showName(upstreamModel)}`,
    answerModel === undefined || answerModel === (upstreamModel ?? model)
      ? undefined
      : `answered by ${showName(answerModel)}`,
  ]
    .filter((part) => part !== undefined)
    .join(', ')

export const toWires = ({ wire, upstreamWire }: LiveRow): string =>
  upstreamWire === undefined || upstreamWire === wire
    ? toWireName(wire)
    : `${toWireName(wire)} → ${toWireName(upstreamWire)}`

export const toTools = ({ tools }: LiveRow): string =>
  tools.map(({ name, count }) => showName(name) + (count > 1 ? ` ×${count}` : '')).join(', ')

/** On another day the day matters more than the seconds. */
export function toStart(at: number): string {
  const whole = toTime(at)
  return whole.length > 8 ? whole.slice(0, -3) : whole
}

/** Where the status was sent before it was known. */
const ENDS: Partial<Readonly<Record<RowState, string>>> = {
  broken: 'broken',
  'client-left': 'left',
  gone: 'lost',
}

export function Status({ row }: { readonly row: LiveRow }): ReactElement | null {
  const word = ENDS[row.state]
  if (word === undefined && row.status === undefined) return null
  return (
    <span
      title={
        word === undefined ? undefined : `${STATES[row.state].says}, after ${row.status ?? '–'}`
      }
      className={word !== undefined || (row.status ?? 0) >= 400 ? 'text-bad' : ''}
    >
      {word ?? row.status}
    </span>
  )
}

/** A pass is what is expected: a mark for each would drown the others. */
const isShown = ([type, count]: readonly [string, number]): boolean => type !== 'pass' && count > 0

/** What stopped something first. */
const WEIGHTS: Readonly<Record<string, number>> = { halt: 0, deny: 1, error: 2, ask: 3 }
const weigh = (type: string): number => WEIGHTS[type] ?? 9

export function VerdictMarks({
  row,
  isWaiting,
}: {
  readonly row: LiveRow
  readonly isWaiting: boolean
}): ReactElement {
  const marks = (['verdicts', 'shadowVerdicts'] as const).flatMap((place) =>
    Object.entries(row[place])
      .filter(isShown)
      .toSorted(([one], [other]) => weigh(one) - weigh(other))
      .map(([type, count]) => ({ type, count, isShadow: place === 'shadowVerdicts' })),
  )
  return (
    <>
      {isWaiting ? (
        <Badge tone="hold" title="A person must decide: see Approvals">
          waiting
        </Badge>
      ) : null}
      {marks.map(({ type, count, isShadow }) => (
        <VerdictBadge
          key={toPolicyPlace(type, isShadow)}
          type={type}
          isShadow={isShadow}
          title={sayVerdict(row, type, isShadow)}
        >
          {count > 1 ? <span className="tabular">×{count}</span> : null}
        </VerdictBadge>
      ))}
    </>
  )
}

function sayVerdict(row: LiveRow, type: string, isShadow: boolean): string {
  const by = row.policies[toPolicyPlace(type, isShadow)] ?? []
  const who = by.length === 0 ? '' : ` by ${by.map(showName).join(', ')}`
  return isShadow ? `In shadow: would have been ${type}${who}` : `${type}${who}`
}
