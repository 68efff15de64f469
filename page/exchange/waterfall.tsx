/**
 * When each block came, on one axis: the wait for the first byte, spans, gaps, how long something was held and judged.
 * Neighbours: `waterfall-scale.ts` has the figures. Each bar is a button that leads to its block and says in words what it
 * shows.
 */
import { memo, useState, type ReactElement } from 'react'
import type { BlockType } from '../../src/event/block.ts'
import { plural } from '../core/format.ts'
import { classes } from '../kit/classes.ts'
import { toLaneWords, toMs, toSpan, toTicks, type Lane } from './waterfall-scale.ts'

interface WaterfallProps {
  readonly lanes: readonly Lane[]
  /** Microseconds: the end of the axis. */
  readonly total: number
  readonly firstByte: number | undefined
  readonly isLive?: boolean
  onChoose(key: string): void
}

const MAX_LANES = 200
const COLUMNS =
  'grid grid-cols-[4.5rem_minmax(0,1fr)_3.5rem] items-center gap-2 @xl:grid-cols-[9rem_minmax(0,1fr)_4rem] @4xl:grid-cols-[14rem_minmax(0,1fr)_4rem]'

const TONES: Readonly<Record<BlockType, string>> = {
  text: 'bg-faint',
  thinking: 'bg-thinking',
  'tool-call': 'bg-accent',
  refusal: 'bg-warn',
  'server-tool': 'bg-accent',
  'tool-result': 'bg-faint',
  opaque: 'bg-line-strong',
}

export function Waterfall(props: WaterfallProps): ReactElement | null {
  const { lanes, total, firstByte, isLive = false, onChoose } = props
  const [pointed, setPointed] = useState<string>()
  if (lanes.length === 0) return null
  const chosen = lanes.find(({ key }) => key === pointed)
  return (
    <section
      aria-label="Timing"
      className="border-b border-line px-3 pt-1.5 pb-1"
      onPointerLeave={() => setPointed(undefined)}
    >
      <Axis total={total} />
      <ol className="max-h-44 overflow-y-auto">
        {lanes.slice(0, MAX_LANES).map((lane) => (
          <li key={lane.key}>
            <LaneRow
              lane={lane}
              total={total}
              firstByte={firstByte}
              onChoose={onChoose}
              onPoint={setPointed}
            />
          </li>
        ))}
      </ol>
      <p className="truncate pt-1 text-2xs text-faint tabular" aria-hidden="true">
        {chosen === undefined
          ? toSummary(lanes, total, { firstByte, isLive })
          : toLaneWords(chosen)}
      </p>
    </section>
  )
}

function toSummary(
  lanes: readonly Lane[],
  total: number,
  { firstByte, isLive }: { readonly firstByte: number | undefined; readonly isLive: boolean },
): string {
  const words = [plural(lanes.length, 'block')]
  if (firstByte !== undefined) words.push(`first byte after ${toMs(firstByte)}`)
  const held = lanes.filter(({ isHeld }) => isHeld)
  if (held.length > 0)
    words.push(`held ${toMs(Math.max(...held.map(({ from, heldTo }) => heldTo - from)))}`)
  words.push(isLive ? `${toMs(total)} so far` : `${toMs(total)} in all`)
  return words.join(' · ')
}

const Axis = memo(({ total }: { readonly total: number }): ReactElement => {
  const ticks = toTicks(total)
  return (
    <div className={classes(COLUMNS, 'h-4 text-2xs text-faint tabular')} aria-hidden="true">
      <span />
      <span className="relative h-full">
        {ticks.map((tick, at) => (
          <span
            key={tick}
            className={classes(
              'absolute whitespace-nowrap',
              at > 0 && '-translate-x-1/2',
              at % 2 === 1 && '@max-xl:hidden',
            )}
            // The last one may stand near the edge: it must not lead out of it.
            style={{ left: `${Math.min(96, (tick / total) * 100)}%` }}
          >
            {at === 0 ? '0' : toMs(tick)}
          </span>
        ))}
      </span>
    </div>
  )
})

interface LaneProps {
  readonly lane: Lane
  readonly total: number
  readonly firstByte: number | undefined
  onChoose(key: string): void
  onPoint(key: string): void
}

const LaneRow = memo(({ lane, total, firstByte, onChoose, onPoint }: LaneProps): ReactElement => {
  const { key, label, hint, type, from, to, heldTo, isHeld } = lane
  const words = toLaneWords(lane)
  return (
    <button
      type="button"
      aria-label={words}
      title={words}
      onClick={() => onChoose(key)}
      onFocus={() => onPoint(key)}
      onPointerEnter={() => onPoint(key)}
      className={classes(COLUMNS, 'h-5 w-full rounded text-left text-2xs hover:bg-hover')}
    >
      <span className="truncate text-muted">
        {label} <span className="text-faint @max-xl:hidden">{hint}</span>
      </span>
      <span className="relative block h-full border-x border-line">
        {firstByte === undefined ? null : (
          <span
            className="absolute inset-y-0 border-l border-dashed border-line-strong"
            style={{ left: toSpan(firstByte, firstByte, total).left }}
          />
        )}
        <span className="absolute top-1/2 border-t border-line" style={toSpan(0, from, total)} />
        {isHeld ? (
          <span
            className="absolute bottom-0.5 h-0.5 rounded bg-hold"
            style={toSpan(from, heldTo, total)}
          />
        ) : null}
        {heldTo > to ? (
          <span
            className="absolute top-1.5 h-2 min-w-0.5 rounded-r-sm border border-hold bg-hold-soft"
            style={toSpan(to, heldTo, total)}
          />
        ) : null}
        <span
          className={classes('absolute top-1.5 h-2 min-w-1 rounded-sm', TONES[type])}
          style={toSpan(from, to, total)}
        />
      </span>
      <span className="text-right text-faint tabular">{toMs(heldTo - from)}</span>
    </button>
  )
})
