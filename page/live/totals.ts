/** What the lines in sight come to, for the foot of the list. Knows no component. */
import { isDenied, isError, type LiveRow } from './row.ts'

export interface Totals {
  readonly shown: number
  readonly open: number
  readonly denied: number
  readonly errors: number
  readonly input: number
  readonly output: number
  /** `undefined`: no price is known. */
  readonly cost: number | undefined
}

export function toTotals(rows: readonly LiveRow[]): Totals {
  let [open, denied, errors, input, output] = [0, 0, 0, 0, 0]
  let cost: number | undefined
  for (const row of rows) {
    if (row.state === 'open') open += 1
    if (isDenied(row)) denied += 1
    if (isError(row)) errors += 1
    input += row.input ?? 0
    output += row.output ?? 0
    if (row.cost !== undefined) cost = (cost ?? 0) + row.cost
  }
  return { shown: rows.length, open, denied, errors, input, output, cost }
}
