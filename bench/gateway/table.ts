/**
 * Cells → a Markdown table, and numbers → cells. Neighbours: `report.ts`.
 */
import type { Quantiles, Spread } from './statistics.ts'

export function toTable(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [columns, ...rows]
  const widths = columns.map((_, column) =>
    Math.max(3, ...all.map((row) => (row[column] ?? '').length)),
  )
  const toLine = (row: readonly string[]): string =>
    `| ${widths.map((width, column) => (row[column] ?? '').padEnd(width)).join(' | ')} |`
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`
  return [toLine(columns), rule, ...rows.map(toLine)].join('\n')
}

/** Nothing, where it was not measured. */
const known = <T>(value: T | undefined, write: (value: T) => string): string =>
  value === undefined ? '' : write(value)

export const ms = (value: number | undefined, digits = 2): string =>
  known(value, (time) => `${time.toFixed(digits)} ms`)
export const us = (value: number | undefined): string =>
  known(value, (time) => `${(time * 1000).toFixed(1)} µs`)
export const mb = (bytes: number | undefined): string =>
  known(bytes, (size) => `${(size / 1e6).toFixed(0)} MB`)
export const kb = (bytes: number): string => `${(bytes / 1000).toFixed(0)} KB`
export const number = (value: number | undefined): string => known(value, (one) => one.toFixed(2))
export const percent = (share: number | undefined): string =>
  known(share, (value) => `${Math.round(value * 100)} %`)
export const whole = (value: number): string => Math.round(value).toLocaleString('en')

export const quantiles = (value: Quantiles | undefined, minus = 0): string =>
  known(value, ({ p50, p99 }) => `${(p50 - minus).toFixed(2)} / ${(p99 - minus).toFixed(2)} ms`)

export const ratio = (spread: Spread | undefined): string =>
  known(
    spread,
    ({ median, low, high }) => `${median.toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)})`,
  )

/** With its sign: less is better. */
export const difference = (spread: Spread | undefined): string =>
  known(
    spread,
    ({ median, low, high }) => `${signed(median)} ms (${signed(low)} to ${signed(high)})`,
  )

const signed = (value: number): string => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(2)}`

/** What it should be, and whether it is more. */
export const limit = (value: number | undefined, isOver: boolean): string =>
  known(value, (most) => `${most}${isOver ? ', over' : ''}`)
