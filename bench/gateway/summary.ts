/**
 * All groups → one row for each mode, with what the limits are about. Neighbours: `cost.ts` measured, `report.ts`,
 * `plot.ts` and `regression.ts` read it. Pure.
 */
import type { Figures } from './compare.ts'
import type { GroupReport } from './cost.ts'
import type { FreshReport } from './fresh.ts'
import type { GrowthReport } from './growth.ts'
import type { MemoryReport } from './memory.ts'
import { DIRECT, PIPE } from './modes.ts'
import type { Spread } from './statistics.ts'

/** All that a run gave. */
export interface BenchReport {
  readonly machine: Readonly<Record<string, string | number>>
  readonly cost: readonly GroupReport[]
  readonly memory: MemoryReport | undefined
  readonly growth: readonly GrowthReport[]
  readonly fresh: FreshReport | undefined
}

export interface SummaryRow {
  readonly name: string
  /** What client and upstream speak. */
  readonly wires: string
  readonly fast: Figures | undefined
  readonly paced: Figures | undefined
}

export function toSummary(groups: readonly GroupReport[]): readonly SummaryRow[] {
  return groups.flatMap(({ wire, loads }) => {
    const names = new Set(loads.flatMap(({ figures }) => figures.map(({ name }) => name)))
    const find = (name: string, isPaced: boolean): Figures | undefined =>
      loads
        .find(({ load }) => load.paceMs > 0 === isPaced)
        ?.figures.find((figures) => figures.name === name)
    return [...names]
      .filter((name) => name !== DIRECT && name !== PIPE)
      .map((name) => {
        const fast = find(name, false)
        const from = fast?.from ?? wire
        const wires = from === wire ? wire : `${from} → ${wire}`
        return { name, wires, fast, paced: find(name, true) }
      })
  })
}

/** More than it may be, in the middle of the rounds. */
export const isOver = (ratio: Spread | undefined, limit: number | undefined): boolean =>
  ratio !== undefined && limit !== undefined && ratio.median > limit

/** Worse in every round: less than that may be chance. */
export const isWorse = (difference: Spread | undefined): boolean =>
  difference !== undefined && difference.low > 0
