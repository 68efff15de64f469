/** Lines → a picture by uPlot. Neighbours: `plot.tsx` puts it on the page. Everything that is drawn is a number or a label of ours. */
import uPlot from 'uplot'
import { penOf, readColour } from './colours.ts'
import { toLonely, type Line } from './series.ts'

export interface Drawing {
  readonly times: readonly number[]
  readonly lines: readonly Line[]
  readonly step: number
  /** Between two of its numbers there is nothing. */
  readonly isWhole: boolean
  format(value: number): string
  /** The place of the cursor among the times. */
  onCursor(at: number | undefined): void
  onZoom(since: number, until: number): void
  onReset(): void
}

export const HEIGHT = 132
/** All plots of the view move one cursor. */
const SYNC = 'overview'
/** A drag of fewer pixels is a click. */
const MIN_DRAG = 6
/** Where more lines cross, a filled one would stand out for no reason. */
const MAX_FILLED = 3
const WHOLE = [1, 2, 5]
  .flatMap((step) => Array.from({ length: 9 }, (_, at) => step * 10 ** at))
  .toSorted((a, b) => a - b)

const CLOCK = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  hour12: false,
})
const DAY = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' })
const HOUR_MS = 3_600_000

/** The clock, or the day where a plot shows several. */
function toTick(time: number, step: number): string {
  const isDay = step > HOUR_MS && new Date(time).getHours() === 0
  return isDay || step > 6 * HOUR_MS ? DAY.format(time) : CLOCK.format(time)
}

export function draw(place: HTMLElement, drawing: Drawing): uPlot {
  const { format, onCursor, onZoom, onReset, step } = drawing
  const ink = readColour('faint')
  const line = readColour('line')
  const axis = {
    stroke: ink,
    font: '11px ui-sans-serif, system-ui, sans-serif',
    grid: { stroke: line, width: 1 },
    ticks: { show: false },
  }
  const plot = new uPlot(
    {
      width: Math.max(160, place.clientWidth),
      height: HEIGHT,
      padding: [8, 18, 0, 0],
      legend: { show: false },
      ms: 1,
      cursor: {
        sync: { key: SYNC },
        drag: { x: true, y: false, setScale: false, dist: MIN_DRAG },
        points: { size: 5 },
        bind: { dblclick: () => () => (onReset(), null) },
      },
      scales: { x: { time: true }, y: { range: (_, __, max) => [0, max > 0 ? max * 1.08 : 1] } },
      series: [{}, ...drawing.lines.map((_, at) => toSeries(at, drawing.lines.length))],
      axes: [
        {
          ...axis,
          space: 64,
          size: 24,
          values: (_, times) => times.map((time) => toTick(time, step)),
        },
        {
          ...axis,
          size: 58,
          space: 30,
          ...(drawing.isWhole ? { incrs: WHOLE } : undefined),
          // “Less than” is no place on an axis.
          values: (_, values) => values.map((value) => format(value).replace(/^<.*/, '')),
        },
      ],
      hooks: {
        setCursor: [({ cursor }) => onCursor(cursor.idx ?? undefined)],
        setSelect: [
          (self) => {
            const { left, width } = self.select
            if (width < MIN_DRAG) return
            onZoom(
              Math.floor(self.posToVal(left, 'x')),
              Math.ceil(self.posToVal(left + width, 'x') + step / 2),
            )
            self.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
          },
        ],
      },
    },
    toData(drawing),
    place,
  )
  return plot
}

export const toData = ({ times, lines }: Pick<Drawing, 'times' | 'lines'>): uPlot.AlignedData => [
  [...times],
  ...lines.map(({ values }) => [...values]),
]

function toSeries(at: number, count: number): uPlot.Series {
  const { name, dash } = penOf(at)
  return {
    stroke: readColour(name),
    width: 1.5,
    dash: [...dash],
    points: {
      show: false,
      size: 4,
      fill: readColour(name),
      filter: (self, series) => toLonely(self.data[series] ?? []),
    },
    spanGaps: false,
    ...(at === 0 && count <= MAX_FILLED
      ? { fill: `color-mix(in srgb, ${readColour(name)} 12%, transparent)` }
      : undefined),
  }
}
