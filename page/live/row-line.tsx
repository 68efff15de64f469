/**
 * One line of the list, in columns or, where it is narrow, in two lines. Neighbours: `cells.tsx` has what stands in it,
 * `row-list.tsx` its place. Drawn again only when its row is another one.
 */
import { memo, type ReactElement } from 'react'
import { showName } from '../blocks/plain.ts'
import { toCost, toCount, toDuration, toWholeTime } from '../core/format.ts'
import { classes } from '../kit/classes.ts'
import {
  Duration,
  ModelName,
  StateMark,
  Status,
  toModelTitle,
  toStart,
  toTools,
  toWires,
  VerdictMarks,
} from './cells.tsx'
import type { Column, ColumnId } from './columns.ts'
import type { LiveRow } from './row.ts'

interface RowLineProps {
  readonly row: LiveRow
  /** From 1. */
  readonly place: number
  readonly top: number
  readonly isSelected: boolean
  readonly isWaiting: boolean
  /** The list flies by: only what one can catch is drawn. */
  readonly isPassing: boolean
  /** None: it is narrow, and has two lines. */
  readonly columns: readonly Column[] | undefined
  onSelect(id: string): void
}

/** The columns are said once, by the list around. */
export const GRID = 'grid grid-cols-(--columns) items-center gap-x-2.5 px-3'

export const toRowId = (id: string): string => `row-${id}`

export const RowLine = memo(function RowLine(props: RowLineProps): ReactElement {
  const { row, place, top, isSelected, columns, onSelect } = props
  return (
    <div
      role="row"
      id={toRowId(row.id)}
      aria-rowindex={place + 1}
      aria-selected={isSelected}
      onClick={() => onSelect(row.id)}
      style={{ top }}
      className={classes(
        'absolute inset-x-0 cursor-default [contain:strict] border-b border-line/60 text-xs tabular',
        columns === undefined ? 'flex h-[50px] flex-col justify-center px-3' : `${GRID} h-[30px]`,
        isSelected ? 'bg-selected' : 'hover:bg-hover',
      )}
    >
      {columns === undefined ? <TwoLines {...props} /> : <Cells {...props} columns={columns} />}
    </div>
  )
})

function Cells({
  row,
  isWaiting,
  isPassing,
  columns,
}: RowLineProps & { readonly columns: readonly Column[] }): ReactElement {
  return (
    <>
      {columns.map(({ id, isRight = false }) => (
        <div
          key={id}
          role="gridcell"
          title={isPassing ? undefined : toTitle(id, row)}
          className={classes(
            id === 'verdicts' ? 'flex gap-1 overflow-hidden' : 'truncate',
            isRight && 'text-right',
            LOOKS[id] ?? 'text-muted',
          )}
        >
          {isPassing && !CAUGHT.has(id) ? '' : cellOf(id, row, isWaiting)}
        </div>
      ))}
    </>
  )
}

const CAUGHT: ReadonlySet<ColumnId> = new Set(['state', 'time', 'model', 'verdicts'])

const LOOKS: Partial<Readonly<Record<ColumnId, string>>> = {
  model: 'text-sm text-ink',
  duration: 'text-ink',
  status: 'text-muted',
  tools: 'font-mono text-2xs text-muted',
}

/** A function and no component: a line has a dozen of them, and lists are scrolled fast. */
function cellOf(id: ColumnId, row: LiveRow, isWaiting: boolean): ReactElement | string | null {
  switch (id) {
    case 'state':
      return <StateMark row={row} isWaiting={isWaiting} />
    case 'time':
      return toStart(row.startedAt)
    case 'client':
      return showName(row.client ?? '–')
    case 'key':
      return showName(row.key ?? '–')
    case 'model':
      return <ModelName row={row} />
    case 'upstream':
      return showName(row.upstream ?? '')
    case 'wires':
      return toWires(row)
    case 'status':
      return <Status row={row} />
    case 'duration':
      return <Duration row={row} />
    case 'firstByte':
      return ifKnown(row.firstByteMs, toDuration)
    case 'input':
      return ifKnown(row.input, toCount)
    case 'output':
      return ifKnown(row.output, (count) => (row.isEstimated === true ? '~' : '') + toCount(count))
    case 'cost':
      return ifKnown(row.cost, toCost)
    case 'tools':
      return toTools(row)
    case 'verdicts':
      return <VerdictMarks row={row} isWaiting={isWaiting} />
  }
}

/** An empty cell is quieter than a dash in each. */
const ifKnown = (value: number | undefined, say: (value: number) => string): string =>
  value === undefined ? '' : say(value)

function toTitle(id: ColumnId, row: LiveRow): string | undefined {
  switch (id) {
    case 'time':
      return toWholeTime(row.startedAt)
    case 'client':
      return row.client === undefined ? undefined : showName(row.client)
    case 'key':
      return row.key === undefined ? undefined : showName(row.key)
    case 'model':
      return toModelTitle(row)
    case 'upstream':
      return row.route === undefined
        ? undefined
        : `Route ${showName(row.route)} to ${showName(row.upstream ?? 'nobody')}`
    case 'wires':
      return toWires(row)
    case 'tools':
      return toTools(row)
    case 'output':
      return row.isEstimated === true ? 'Estimated: the upstream did not say' : undefined
    case 'state':
    case 'status':
    case 'duration':
    case 'firstByte':
    case 'input':
    case 'cost':
    case 'verdicts':
      return undefined
  }
}

function TwoLines({ row, isWaiting }: RowLineProps): ReactElement {
  const tools = toTools(row)
  return (
    <>
      <div role="gridcell" className="flex min-w-0 items-center gap-2">
        <StateMark row={row} isWaiting={isWaiting} />
        <span className="min-w-0 flex-1 truncate text-sm" title={toModelTitle(row)}>
          <ModelName row={row} />
        </span>
        <span className="flex max-w-[55%] shrink-0 gap-1 overflow-hidden">
          <VerdictMarks row={row} isWaiting={isWaiting} />
        </span>
        <Status row={row} />
      </div>
      <div role="gridcell" className="flex min-w-0 gap-2 pl-[22px] text-2xs text-faint">
        <span className="shrink-0" title={toWholeTime(row.startedAt)}>
          {toStart(row.startedAt)}
        </span>
        <span className="min-w-0 shrink truncate">{showName(row.client ?? '')}</span>
        <span className="min-w-0 flex-1 truncate font-mono" title={tools}>
          {tools}
        </span>
        <span className="shrink-0 text-muted">
          <Duration row={row} />
        </span>
      </div>
    </>
  )
}
