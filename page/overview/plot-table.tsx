/** The numbers of a plot as a table: steps with something in them, the newest first. */
import type { ReactElement } from 'react'
import { toTime } from '../core/format.ts'
import type { Line } from './series.ts'

interface PlotTableProps {
  readonly title: string
  readonly times: readonly number[]
  readonly lines: readonly Line[]
  format(value: number): string
}

export function PlotTable({ title, times, lines, format }: PlotTableProps): ReactElement {
  const rows = times
    .map((time, at) => ({ time, values: lines.map(({ values }) => values[at] ?? null) }))
    .filter(({ values }) => values.some((value) => value !== null && value !== 0))
    .toReversed()
  if (rows.length === 0)
    return <p className="h-[132px] px-3 py-2 text-xs text-faint">Nothing in this time.</p>
  return (
    <div tabIndex={0} className="h-[132px] overflow-auto px-3 pb-2">
      <table className="tabular w-full text-2xs">
        <caption className="sr-only">{title}</caption>
        <thead>
          <tr className="text-left text-faint">
            <th className="font-normal">Time</th>
            {lines.map(({ label }) => (
              <th key={label} className="max-w-28 truncate text-right font-normal">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ time, values }) => (
            <tr key={time}>
              <td className="text-muted">{toTime(time)}</td>
              {values.map((value, at) => (
                <td key={lines[at]?.label} className="text-right">
                  {value === null ? '–' : format(value)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
