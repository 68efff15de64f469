/**
 * What was measured, as a drawing: each mode's ratio with its spread and its limit, and the lines of growth, which should
 * be flat. Neighbours: `summary.ts`, `growth.ts`; `svg.ts` has the shapes.
 */
import type { GrowthReport } from './growth.ts'
import { toSummary, type BenchReport, type SummaryRow } from './summary.ts'
import type { Spread } from './statistics.ts'
import { dot, drawing, line, polyline, text, type Point } from './svg.ts'

const WIDTH = 900
const MARGIN = 24
const GREY = '#afb8c1'
const PALE = '#e6eaef'
const RED = '#cf222e'
const COLOURS = ['#57606a', '#0969da', '#bc4c00', '#1a7f37', '#8250df', '#bf3989', '#9a6700']
const FAST = '#0969da'
const PACED = '#bc4c00'

interface Panel {
  readonly height: number
  readonly shapes: readonly string[]
}

export function toSvg({ cost, growth }: BenchReport): string {
  const rows = toSummary(cost)
  const ratios = rows.length === 0 ? NO_PANEL : ratioPanel(rows, MARGIN)
  const lines = growth.length === 0 ? NO_PANEL : growthPanel(growth, MARGIN + ratios.height)
  return drawing(WIDTH, ratios.height + lines.height + 2 * MARGIN, [
    ...ratios.shapes,
    ...lines.shapes,
  ])
}

const NO_PANEL: Panel = { height: 0, shapes: [] }

const LABELS = 330
const ROW = 34
const HEAD = 56

/** One row for each mode: how many times the CPU of the pipe. */
function ratioPanel(rows: readonly SummaryRow[], top: number): Panel {
  const spreads = rows.flatMap(({ fast, paced }) => [fast?.byPipe?.cpu, paced?.byPipe?.cpu])
  const highest = Math.max(2, ...spreads.map((spread) => Math.min(4, spread?.high ?? 0)))
  const toX = (ratio: number): number =>
    LABELS + (Math.min(ratio, highest) / highest) * (WIDTH - LABELS - MARGIN)
  const bottom = top + HEAD + rows.length * ROW
  const ticks = Array.from({ length: Math.floor(highest * 2) + 1 }, (_, index) => index / 2)
  const grid = ticks.flatMap((tick) => [
    line(
      { x: toX(tick), y: top + HEAD - 8 },
      { x: toX(tick), y: bottom },
      tick === 1 ? GREY : PALE,
    ),
    text({ x: toX(tick), y: top + HEAD - 14 }, String(tick), { anchor: 'middle', size: 11 }),
  ])
  const marks = rows.flatMap(({ name, wires, fast, paced }, index) => {
    const y = top + HEAD + index * ROW + ROW / 2
    return [
      text({ x: MARGIN, y: y - 2 }, name, { isBold: true }),
      text({ x: MARGIN, y: y + 12 }, wires, { size: 10, fill: COLOURS[0] ?? GREY }),
      ...spreadMark(fast?.byPipe?.cpu, { limit: fast?.limits?.fast, y: y - 6, colour: FAST, toX }),
      ...spreadMark(paced?.byPipe?.cpu, {
        limit: paced?.limits?.paced,
        y: y + 7,
        colour: PACED,
        toX,
      }),
    ]
  })
  const legend = [
    dot({ x: LABELS + 4, y: top + 22 }, FAST),
    text({ x: LABELS + 14, y: top + 26 }, 'as fast as it goes'),
    dot({ x: LABELS + 154, y: top + 22 }, PACED),
    text({ x: LABELS + 164, y: top + 26 }, 'a chunk every 20 ms'),
    line({ x: LABELS + 310, y: top + 15 }, { x: LABELS + 310, y: top + 29 }, RED, 2),
    text({ x: LABELS + 318, y: top + 26 }, 'limit'),
  ]
  const title = text({ x: MARGIN, y: top + 6 }, 'CPU per stream, by that of a raw node:http pipe', {
    size: 15,
    isBold: true,
  })
  return { height: bottom - top + MARGIN, shapes: [title, ...legend, ...grid, ...marks] }
}

interface MarkOptions {
  readonly limit: number | undefined
  readonly y: number
  readonly colour: string
  toX(ratio: number): number
}

/** The median as a dot, the rounds as a line, the limit as a stroke across. */
function spreadMark(spread: Spread | undefined, { limit, y, colour, toX }: MarkOptions): string[] {
  if (spread === undefined) return []
  const stroke =
    limit === undefined
      ? []
      : [line({ x: toX(limit), y: y - 6 }, { x: toX(limit), y: y + 6 }, RED, 2)]
  return [
    line({ x: toX(spread.low), y }, { x: toX(spread.high), y }, colour, 2),
    dot({ x: toX(spread.median), y }, colour),
    ...stroke,
  ]
}

const GROWTH_HEIGHT = 260

/** One small chart for each thing that grows. */
function growthPanel(reports: readonly GrowthReport[], top: number): Panel {
  const width = (WIDTH - 2 * MARGIN) / reports.length
  const title = text({ x: MARGIN, y: top + 6 }, 'CPU while the work grows: flat is linear', {
    size: 15,
    isBold: true,
  })
  const names = reports[0]?.lines.map(({ name }) => name) ?? []
  const legend = names.flatMap((name, index) => {
    const x = MARGIN + index * 130
    return [dot({ x: x + 4, y: top + 24 }, colourOf(index)), text({ x: x + 14, y: top + 28 }, name)]
  })
  const charts = reports.flatMap((report, index) =>
    growthChart(report, { x: MARGIN + index * width, y: top + 44 }, width - MARGIN),
  )
  return { height: GROWTH_HEIGHT + 44 + MARGIN, shapes: [title, ...legend, ...charts] }
}

const colourOf = (index: number): string => COLOURS[index % COLOURS.length] ?? GREY

/** To a number that reads well: 1, 2, 4, 6 or 8 with noughts. */
function roundUp(value: number): number {
  const unit = 10 ** Math.floor(Math.log10(value))
  return ([1, 2, 4, 6, 8, 10].find((times) => times * unit >= value) ?? 10) * unit
}

function growthChart(
  { axis, per, places, lines }: GrowthReport,
  at: Point,
  width: number,
): string[] {
  const left = at.x + 44
  const bottom = at.y + GROWTH_HEIGHT - 40
  const top = at.y + 24
  const highest = roundUp(Math.max(...lines.flatMap(({ costs }) => costs)))
  const toX = (index: number): number =>
    left + 10 + (index / Math.max(1, places.length - 1)) * (at.x + width - left - 20)
  const toY = (cost: number): number => bottom - (cost / highest) * (bottom - top)
  const ticks = [0, highest / 2, highest]
  return [
    text({ x: at.x, y: at.y + 12 }, `µs per ${per}`, { size: 11 }),
    ...ticks.flatMap((tick) => [
      line({ x: left, y: toY(tick) }, { x: at.x + width, y: toY(tick) }, PALE),
      text({ x: left - 6, y: toY(tick) + 4 }, tick.toLocaleString('en'), {
        anchor: 'end',
        size: 11,
      }),
    ]),
    ...places.map((place, index) =>
      text({ x: toX(index), y: bottom + 16 }, place.toLocaleString('en'), {
        anchor: 'middle',
        size: 11,
      }),
    ),
    text({ x: left, y: bottom + 32 }, axis, { size: 11 }),
    ...lines.flatMap(({ costs }, index) => {
      const points = costs.map((cost, place) => ({ x: toX(place), y: toY(cost) }))
      return [
        polyline(points, colourOf(index)),
        ...points.map((point) => dot(point, colourOf(index), 3)),
      ]
    }),
  ]
}
