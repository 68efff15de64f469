/**
 * Whether the gateway has become slow, for CI. Neighbours: `run.ts` fails on it, `summary.ts` has the rows. Pure.
 */
import type { Figures } from './compare.ts'
import type { SummaryRow } from './summary.ts'

/**
 * A ratio may be so many times its limit. CI measures gateways that have just started, on two shared cores, in half a second a
 * turn: with other work beside it, runs of the same code differed by up to a third, at the median and at best, and seldom in
 * both at once. What this is there to find costs more: a pass-through that decodes every event takes 1.9 instead of 1.1.
 */
const SLACK = 1.5

/** A sentence for each ratio that is beyond its limit and the noise. */
export const findRegressions = (rows: readonly SummaryRow[]): readonly string[] =>
  rows.flatMap(({ name, fast, paced }) => [
    ...judge(`${name}, fast`, fast, fast?.limits?.fast),
    ...judge(`${name}, paced`, paced, paced?.limits?.paced),
  ])

/** Over in the middle of the rounds, and in the best of them too: the first alone may be somebody else's work. */
function judge(what: string, figures: Figures | undefined, limit = Infinity): readonly string[] {
  const { cpu, cpuAtBest = 0 } = figures?.byPipe ?? {}
  const most = limit * SLACK
  if (cpu === undefined || cpu.median <= most || cpuAtBest <= most) return []
  return [
    `${what}: ${cpu.median.toFixed(2)} times the CPU of a raw pipe, ${cpuAtBest.toFixed(2)} at best; ${most.toFixed(2)} allowed`,
  ]
}
