/**
 * The frames of one side, as many as there are: only those in sight are drawn. Arrows, Page Up and Down, Home and End move.
 * Neighbours: `raw-row.tsx` draws one, `raw-tab.tsx` says which there are.
 */
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef, type KeyboardEvent, type ReactElement } from 'react'
import { classes } from '../kit/classes.ts'
import type { RawFrame } from './raw-frames.ts'
import { COLUMNS, FrameRow, ROW_HEIGHT } from './raw-row.tsx'
import { heldFor } from './raw-sides.ts'

interface FrameListProps {
  readonly label: string
  readonly frames: readonly RawFrame[]
  /** Places of those that are shown; `undefined`: all. */
  readonly places: readonly number[] | undefined
  /** For each frame its place among `others`, or -1; `undefined`: nothing is known of the other side. */
  readonly pairs: Int32Array | undefined
  /** What it means that the other side has no such frame. */
  readonly aloneSays: string
  /** Frames as they came, where these are frames as they left. */
  readonly came: readonly RawFrame[] | undefined
  /** A place, or -1. */
  readonly selected: number
  onSelect(place: number): void
}

export function FrameList(props: FrameListProps): ReactElement {
  const { label, frames, places, pairs, aloneSays, came, selected, onSelect } = props
  const scroller = useRef<HTMLDivElement>(null)
  const count = places?.length ?? frames.length
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 16,
    useFlushSync: false,
  })
  const row = places === undefined ? selected : places.indexOf(selected)
  useEffect(() => {
    if (row >= 0) virtual.scrollToIndex(row, { align: 'auto' })
  }, [row, virtual])

  function move(event: KeyboardEvent): void {
    const next = toRow(event.key, row, count)
    if (next === undefined) return
    event.preventDefault()
    onSelect(places === undefined ? next : (places[next] ?? -1))
  }

  return (
    <div className="flex min-h-0 min-w-0 flex-1 flex-col">
      <ListHead />
      <div
        ref={scroller}
        role="listbox"
        aria-label={label}
        tabIndex={0}
        aria-activedescendant={row < 0 ? undefined : toId(selected)}
        onKeyDown={move}
        className="min-h-0 flex-1 overflow-auto -outline-offset-2"
      >
        <div className="relative" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start }) => {
            const place = places === undefined ? index : (places[index] ?? -1)
            const raw = frames[place]
            if (raw === undefined) return null
            const pair = pairs?.[place]
            return (
              <FrameRow
                key={place}
                id={toId(place)}
                raw={raw}
                number={place + 1}
                top={start}
                isSelected={place === selected}
                alone={pair === -1 ? aloneSays : undefined}
                held={pair === undefined ? undefined : heldFor(came?.[pair], raw)}
                onSelect={(number) => onSelect(number - 1)}
              />
            )
          })}
        </div>
      </div>
    </div>
  )
}

const ListHead = (): ReactElement => (
  <div
    aria-hidden="true"
    className={classes(COLUMNS, 'h-7 shrink-0 border-b border-line text-2xs text-faint')}
  >
    <span className="text-right">#</span>
    <span className="text-right">At</span>
    <span className="text-right @max-xl:hidden">Gap</span>
    <span>Event</span>
    <span className="@max-xl:hidden">Data</span>
    <span className="text-right @max-xl:hidden">Size</span>
  </div>
)

const toId = (place: number): string => `frame-${place}`

const PAGE = 20

function toRow(key: string, row: number, count: number): number | undefined {
  if (count === 0) return undefined
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: 1,
    ArrowUp: -1,
    PageDown: PAGE,
    PageUp: -PAGE,
    Home: -count,
    End: count,
  }
  const step = steps[key]
  return step === undefined ? undefined : Math.max(0, Math.min(count - 1, row + step))
}
