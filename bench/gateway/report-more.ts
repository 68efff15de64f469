/**
 * Memory, growth and fresh processes, as Markdown. Neighbours: `report.ts` puts them in their place; `memory.ts`, `growth.ts`
 * and `fresh.ts` measured.
 */
import type { FreshReport } from './fresh.ts'
import type { GrowthReport } from './growth.ts'
import { FEW, MANY, type MemoryReport } from './memory.ts'
import { PIPE } from './modes.ts'
import { kb, limit, mb, toTable, whole } from './table.ts'

/** Over the pipe's, with `FEW` streams open. */
const MOST_OVER_PIPE = 100e6
const MOST_PER_FURTHER = 40e3

export function memorySection({ open, long }: MemoryReport): string {
  const pipe = open.find(({ name }) => name === PIPE)
  const opened = toTable(
    [
      '',
      'idle',
      `${FEW} open`,
      'over the pipe',
      'limit',
      `${MANY} open`,
      'each further one',
      'limit',
    ],
    open.map(({ name, idle, few, many, perFurther }) => {
      const over = few - (pipe?.few ?? Number.NaN)
      const isPipe = name === PIPE
      return [
        name,
        mb(idle),
        mb(few),
        ...(isPipe ? ['', ''] : [mb(over), limit(MOST_OVER_PIPE / 1e6, over > MOST_OVER_PIPE)]),
        mb(many),
        kb(perFurther),
        isPipe ? '' : limit(MOST_PER_FURTHER / 1e3, perFurther > MOST_PER_FURTHER),
      ]
    }),
  )
  const longest = toTable(
    ['', 'chunks', 'chunks/s', 'most in the first tenth', 'in the first half', 'in all of it'],
    long.map(({ name, chunks, seconds, tenth, half, peak }) => [
      name,
      whole(chunks),
      whole(chunks / seconds),
      mb(tenth),
      mb(half),
      mb(peak),
    ]),
  )
  return `## Memory

Resident memory with streams open that get a chunk every 500 ms, and while one stream of ${whole(long[0]?.chunks ?? 0)} chunks passes.

${opened}

${longest}`
}

export function growthSection(reports: readonly GrowthReport[]): string {
  const tables = reports.map(({ axis, per, places, lines }) =>
    toTable(
      [`µs per ${per}`, ...places.map((place) => `${whole(place)} ${axis}`), 'last by first'],
      lines.map(({ name, costs }) => [
        name,
        ...costs.map((cost) => cost.toFixed(per === 'chunk' ? 2 : 0)),
        growthOf(costs).toFixed(2),
      ]),
    ),
  )
  return `## Growth

CPU per chunk or stream while there are more of them. Flat or falling: the whole cost grows with the work and no faster.

${tables.join('\n\n')}`
}

/** The last by the first. */
const growthOf = (costs: readonly number[]): number =>
  (costs.at(-1) ?? Number.NaN) / (costs[0] ?? Number.NaN)

export function freshSection({ ends, lines }: FreshReport): string {
  const rows = lines.map(({ name, costs, ratios }) => [
    name,
    ...costs.map((cost, at) =>
      name === PIPE
        ? `${cost.toFixed(2)} ms`
        : `${cost.toFixed(2)} ms, ${(ratios[at] ?? Number.NaN).toFixed(2)}`,
    ),
  ])
  const heads = ends.map((end, at) => `${whole((ends[at - 1] ?? 0) + 1)} to ${whole(end)}`)
  return `## Fresh processes

CPU per stream since the start, and by that of a pipe which was started with it: what it costs until the compilers have settled.

${toTable(['streams', ...heads], rows)}`
}
