/**
 * One plot with its name, what its lines are, and the figures under the cursor. Neighbours: `draw.ts` draws it. Who cannot see
 * it hears a sentence, and can have it as a table.
 */
import { useEffect, useRef, useState, type KeyboardEvent, type ReactElement } from 'react'
import type uPlot from 'uplot'
import { toTime } from '../core/format.ts'
import { isDark } from '../core/preferences.ts'
import { useStore } from '../core/store.ts'
import { penOf } from './colours.ts'
import { draw, HEIGHT, toData, type Drawing } from './draw.ts'
import { PlotTable } from './plot-table.tsx'
import type { Line } from './series.ts'

interface PlotProps {
  readonly title: string
  readonly says?: string | undefined
  readonly times: readonly number[]
  readonly step: number
  readonly lines: readonly Line[]
  readonly isTable: boolean
  readonly isWhole: boolean
  format(value: number): string
  onZoom(since: number, until: number): void
  onReset(): void
}

export function Plot(props: PlotProps): ReactElement {
  const { title, says, times, lines, isTable, format } = props
  const [at, setAt] = useState<number>()
  return (
    <section aria-label={title} className="min-w-0 rounded-lg border border-line bg-surface">
      <header className="flex min-h-9 flex-wrap items-baseline gap-x-3 gap-y-0.5 px-3 pt-2">
        <h2 className="text-xs font-semibold">
          {title}
          {says === undefined ? '' : <span className="font-normal text-faint"> {says}</span>}
        </h2>
        <Legend lines={lines} at={at} format={format} />
        <span className="tabular ml-auto text-2xs text-faint">
          {at === undefined || times[at] === undefined ? '' : toTime(times[at])}
        </span>
      </header>
      {isTable ? (
        <PlotTable title={title} times={times} lines={lines} format={format} />
      ) : (
        <Canvas {...props} at={at} onCursor={setAt} />
      )}
    </section>
  )
}

function Legend({
  lines,
  at,
  format,
}: Pick<PlotProps, 'lines' | 'format'> & { readonly at: number | undefined }): ReactElement {
  return (
    <ul className="flex min-w-0 flex-wrap gap-x-2.5 text-2xs text-muted">
      {lines.map(({ label, values }, index) => {
        const value = at === undefined ? undefined : values[at]
        const { name, dash } = penOf(index)
        return (
          <li key={label} className="flex min-w-0 items-center gap-1">
            <svg width={14} height={4} aria-hidden="true" className="shrink-0">
              <line
                x1={0}
                y1={2}
                x2={14}
                y2={2}
                stroke={`var(--${name})`}
                strokeWidth={2}
                strokeDasharray={dash.join(' ')}
              />
            </svg>
            <span className="max-w-36 truncate" title={label}>
              {label}
            </span>
            {value == null ? null : (
              <span className="tabular font-medium text-ink">{format(value)}</span>
            )}
          </li>
        )
      })}
    </ul>
  )
}

function Canvas(
  props: PlotProps & { readonly at: number | undefined; readonly onCursor: Drawing['onCursor'] },
): ReactElement {
  const { title, times, lines, at, format } = props
  const place = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot>(undefined)
  const latest = useRef(props)
  latest.current = props
  const dark = useStore(isDark)
  const shape = lines.map(({ label }) => label).join('\n')

  useEffect(() => {
    const element = place.current
    if (element === null) return undefined
    const drawn = draw(element, {
      ...latest.current,
      onCursor: (found) => latest.current.onCursor(found),
      onZoom: (since, until) => latest.current.onZoom(since, until),
      onReset: () => latest.current.onReset(),
    })
    plot.current = drawn
    const observer = new ResizeObserver(() =>
      drawn.setSize({ width: Math.max(160, element.clientWidth), height: HEIGHT }),
    )
    observer.observe(element)
    return () => {
      observer.disconnect()
      drawn.destroy()
      plot.current = undefined
    }
  }, [shape, dark])

  useEffect(() => {
    plot.current?.setData(toData({ times, lines }))
  }, [times, lines])

  function move(event: KeyboardEvent): void {
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    const drawn = plot.current
    if (by === 0 || drawn === undefined) return
    event.preventDefault()
    const next = Math.min(
      times.length - 1,
      Math.max(0, (at ?? (by === 1 ? -1 : times.length)) + by),
    )
    const time = times[next]
    if (time !== undefined) drawn.setCursor({ left: drawn.valToPos(time, 'x'), top: 10 })
  }

  return (
    <div
      ref={place}
      role="img"
      tabIndex={0}
      aria-label={`${title}. ${toSummary(lines, format)}`}
      onKeyDown={move}
      className="h-[132px] overflow-hidden"
    />
  )
}

/** What a line does, in words. */
function toSummary(lines: readonly Line[], format: (value: number) => string): string {
  const parts = lines.map(({ label, values }) => {
    const there = values.filter((value) => value !== null)
    if (there.length === 0) return `${label}: nothing`
    const last = there.at(-1) ?? 0
    return `${label}: at most ${format(Math.max(...there))}, last ${format(last)}`
  })
  return parts.join('; ')
}
