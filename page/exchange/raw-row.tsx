/** One frame in the list: number, time, gap, name, data, size, and what is to be said of it. */
import { memo, type ReactElement } from 'react'
import { firstLine, showName } from '../blocks/plain.ts'
import { toDuration, toSize } from '../core/format.ts'
import { Badge } from '../kit/badge.tsx'
import { classes } from '../kit/classes.ts'
import type { RawFrame } from './raw-frames.ts'

export const ROW_HEIGHT = 28

/** The same for the head and the rows. Narrow windows leave out the gap and the size. */
export const COLUMNS =
  'grid grid-cols-[44px_64px_minmax(0,1fr)] @xl:grid-cols-[52px_68px_64px_minmax(120px,190px)_minmax(0,1fr)_56px] items-center gap-x-3 px-3'

interface FrameRowProps {
  readonly id: string
  readonly raw: RawFrame
  /** From 1. */
  readonly number: number
  readonly top: number
  readonly isSelected: boolean
  /** It is on this side only: what that means. */
  readonly alone: string | undefined
  /** Microseconds. */
  readonly held: number | undefined
  onSelect(number: number): void
}

export const FrameRow = memo(function FrameRow(props: FrameRowProps): ReactElement {
  const { id, raw, number, top, isSelected, alone, held, onSelect } = props
  const { name, time, gap, bytes, frame } = raw
  return (
    <div
      id={id}
      role="option"
      aria-selected={isSelected}
      aria-label={`Frame ${number}, ${showName(name)}${saysOf(props)}`}
      onClick={() => onSelect(number)}
      style={{ transform: `translateY(${top}px)`, height: ROW_HEIGHT }}
      className={classes(
        COLUMNS,
        'absolute inset-x-0 top-0 cursor-default contain-content border-b border-line text-xs',
        isSelected ? 'bg-selected' : 'hover:bg-hover',
      )}
    >
      <span className="tabular text-right text-faint">{number}</span>
      <span className="tabular text-right text-muted">{toClock(time)}</span>
      <span className="tabular text-right text-faint @max-xl:hidden">{toGap(gap)}</span>
      <span className="flex min-w-0 items-center gap-1.5">
        <span className="truncate font-mono" title={name}>
          {showName(name)}
        </span>
        <Marks raw={raw} alone={alone} held={held} className="@xl:hidden" />
      </span>
      <span className="flex min-w-0 items-center gap-1.5 @max-xl:hidden">
        <Marks raw={raw} alone={alone} held={held} />
        <span className="truncate font-mono text-muted">
          {firstLine(frame.data ?? new TextDecoder().decode(raw.frame.raw), 240)}
        </span>
      </span>
      <span className="tabular text-right text-faint @max-xl:hidden">{toSize(bytes)}</span>
    </div>
  )
})

function Marks({
  raw,
  alone,
  held,
  className = '',
}: Pick<FrameRowProps, 'raw' | 'alone' | 'held'> & {
  readonly className?: string
}): ReactElement | null {
  if (raw.findings.length === 0 && alone === undefined && held === undefined) return null
  return (
    <span className={classes('flex shrink-0 items-center gap-1', className)}>
      {raw.findings.map(({ rule, severity, message }) => (
        <Badge key={rule} tone={severity === 'error' ? 'bad' : 'warn'} title={showName(message)}>
          {severity === 'error' ? '✕' : '!'} {rule}
        </Badge>
      ))}
      {alone === undefined ? null : (
        <Badge tone="accent" title="The other side has no such frame">
          {alone}
        </Badge>
      )}
      {held === undefined ? null : (
        <Badge tone="hold" title="Time between its arrival and its leave">
          held {toDuration(held / 1000)}
        </Badge>
      )}
    </span>
  )
}

function saysOf({ raw, alone, held }: FrameRowProps): string {
  const rules = raw.findings.map(({ rule, severity }) => `, ${severity} ${rule}`).join('')
  return `${rules}${alone === undefined ? '' : `, ${alone}`}${held === undefined ? '' : ', held'}`
}

const toClock = (time: number | undefined): string =>
  time === undefined ? '' : toDuration(time / 1000)

/** What came together has no gap worth a word. */
const toGap = (gap: number | undefined): string =>
  gap === undefined ? '' : gap < 100 ? '·' : `+${toDuration(gap / 1000)}`
