/**
 * The lines that are in sight, of however many there are. Neighbours: `row-line.tsx` draws one, `follow.ts` keeps them still.
 * Knows nothing of filters and of where lines come from.
 */
import { useVirtualizer } from '@tanstack/react-virtual'
import {
  useCallback,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  type CSSProperties,
  type KeyboardEvent,
  type ReactElement,
  type ReactNode,
  type Ref,
} from 'react'
import { classes } from '../kit/classes.ts'
import { fitColumns, isTall, ROW_HEIGHT, TALL_ROW_HEIGHT, toTemplate } from './columns.ts'
import type { Column } from './columns.ts'
import { isAtTop, listPlace, useStillness } from './follow.ts'
import { GRID, RowLine, toRowId } from './row-line.tsx'
import type { LiveRow } from './row.ts'
import { useWidth } from './use-width.ts'

export interface RowListHandle {
  toTop(): void
  /** Brings a line into sight. */
  show(index: number): void
  focus(): void
}

interface RowListProps {
  readonly rows: readonly LiveRow[]
  readonly waiting: ReadonlySet<string>
  readonly selected: string | undefined
  readonly choice: readonly string[]
  readonly isFollowing: boolean
  onFollow(isFollowing: boolean): void
  onSelect(id: string): void
  onMove(step: number): void
  /** The end is near. */
  onEnd(): void
  /** Below the last line. */
  readonly end: ReactNode
  readonly ref: Ref<RowListHandle>
}

/** Room is kept for it, so that the head stands above its columns. */
const SCROLLBAR = 11
/** So many lines before the last one, the next page is asked for. */
const NEAR_END = 120
const STEPS: Readonly<Record<string, number>> = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: 20,
  PageUp: -20,
  Home: -Infinity,
  End: Infinity,
}

export function RowList(props: RowListProps): ReactElement {
  const { rows, selected, choice, isFollowing, onFollow, onSelect, onMove, onEnd } = props
  const place = useRef<HTMLDivElement>(null)
  const [frame, outer] = useWidth()
  const width = Math.max(0, outer - SCROLLBAR)
  const isPriced = useMemo(() => rows.some(({ cost }) => cost !== undefined), [rows])
  const columns = useMemo(
    () => (isTall(width) ? undefined : fitColumns(width, choice, isPriced)),
    [width, choice, isPriced],
  )
  const height = columns === undefined ? TALL_ROW_HEIGHT : ROW_HEIGHT
  const lines = useVirtualizer({
    count: rows.length,
    getScrollElement: () => place.current,
    estimateSize: () => height,
    overscan: 2,
    useFlushSync: false,
    initialOffset: listPlace.top,
  })
  useLayoutEffect(() => place.current?.scrollTo({ top: listPlace.top }), [])
  useEffect(() => lines.measure(), [lines, height])
  useStillness({ place, rows, height, isFollowing })
  useImperativeHandle(props.ref, () => ({
    toTop: () => place.current?.scrollTo({ top: 0 }),
    show: (index) => lines.scrollToIndex(index, { align: 'auto' }),
    focus: () => place.current?.focus(),
  }))
  const select = useCallback((id: string) => onSelect(id), [onSelect])
  const items = lines.getVirtualItems()
  // A line that leaves the window is written anew for one that comes: to take it away and make another costs twice as much.
  const pool = useRef(1)
  pool.current = Math.max(pool.current, items.length)
  const isPassing = usePassing(items[0]?.index ?? 0, items.length, lines.isScrolling)
  const last = items.at(-1)?.index ?? 0
  useEffect(() => {
    if (rows.length > 0 && last >= rows.length - NEAR_END) onEnd()
  }, [last, rows.length, onEnd])

  function press(event: KeyboardEvent): void {
    const step = STEPS[event.key]
    if (event.key === 'Enter' && selected !== undefined) onSelect(selected)
    else if (step !== undefined) onMove(step)
    else return
    event.preventDefault()
  }

  return (
    <div
      ref={frame}
      role="grid"
      aria-label="Exchanges"
      aria-rowcount={rows.length + 1}
      className="flex min-h-0 flex-1 flex-col bg-surface"
      style={{ '--columns': toTemplate(columns ?? []) } as CSSProperties}
    >
      {columns === undefined ? null : <Head columns={columns} />}
      <div
        ref={place}
        role="rowgroup"
        tabIndex={0}
        aria-label="Lines"
        aria-activedescendant={selected === undefined ? undefined : toRowId(selected)}
        onKeyDown={press}
        onScroll={(event) => {
          listPlace.top = event.currentTarget.scrollTop
          onFollow(isAtTop(event.currentTarget))
        }}
        className="relative min-h-0 flex-1 overflow-x-hidden overflow-y-auto outline-offset-[-2px] [overflow-anchor:none] [scrollbar-gutter:stable]"
      >
        <div className="relative" style={{ height: lines.getTotalSize() }}>
          {items.map(({ index, start }) => {
            const row = rows[index]
            return row === undefined ? null : (
              <RowLine
                key={index % pool.current}
                row={row}
                place={index + 1}
                top={start}
                isSelected={row.id === selected}
                isWaiting={isWaiting(row, props.waiting)}
                isPassing={isPassing}
                columns={columns}
                onSelect={select}
              />
            )
          })}
        </div>
        {props.end}
      </div>
    </div>
  )
}

/** Whether it goes by in jumps of a whole window or more, until it rests. */
function usePassing(first: number, count: number, isScrolling: boolean): boolean {
  const before = useRef(first)
  const passing = useRef(false)
  const far = Math.abs(first - before.current)
  before.current = first
  passing.current = isScrolling && (passing.current || far >= count)
  return passing.current
}

/** A ticket knows its exchange by the id of the request. */
export const isWaiting = (row: LiveRow, waiting: ReadonlySet<string>): boolean =>
  waiting.size > 0 && row.state === 'open' && (waiting.has(row.id) || waiting.has(row.requestId))

function Head({ columns }: { readonly columns: readonly Column[] }): ReactElement {
  return (
    <div role="rowgroup" className="shrink-0 overflow-hidden [scrollbar-gutter:stable]">
      <div
        role="row"
        className={`${GRID} h-7 border-b border-line text-2xs font-medium text-faint`}
      >
        {columns.map(({ id, label, says, isRight = false }) => (
          <div
            key={id}
            role="columnheader"
            title={says}
            aria-label={label === '' ? says : undefined}
            className={classes('truncate', isRight && 'text-right')}
          >
            {label}
          </div>
        ))}
      </div>
    </div>
  )
}
