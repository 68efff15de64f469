/** Two texts against one another, line by line and word by word where lines are alike. Signs say it, not colour alone. */
import { memo, useMemo, useState, type ReactElement } from 'react'
import { classes } from '../kit/classes.ts'
import { DiffLine, SIDES } from './diff-line.tsx'
import {
  diffTexts,
  foldSame,
  toPairs,
  type Diff,
  type DiffRow,
  type Gap,
  type Pair,
} from './diff-rows.ts'
import { useIsWide } from './use-is-wide.ts'
import { More } from './verbatim.tsx'

interface TextDiffProps {
  readonly before: string
  readonly after: string
  /** Side by side where there is room; one below the other otherwise. */
  readonly isSplit?: boolean
  /** What a screen reader says of it. */
  readonly label?: string
  /** No numbers: where they would be those of a piece and not of the file. */
  readonly isBare?: boolean
}

/** Rows at a time: drawing these takes less than a frame or two. */
const STEP = 300

export const TextDiff = memo(function TextDiff({
  before,
  after,
  isSplit = false,
  label = 'Differences',
  isBare = false,
}: TextDiffProps): ReactElement {
  const [place, isWide] = useIsWide(640)
  const diff = useMemo(() => diffTexts(before, after), [before, after])
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set())
  const [count, setCount] = useState(STEP)
  const rows = useMemo(() => openGaps(foldSame(diff.rows), opened), [diff, opened])
  const drawn = useMemo(() => (isSplit && isWide ? toPairs(rows) : rows), [isSplit, isWide, rows])
  if (before === after)
    return <p className="text-xs text-faint">There is no difference between the two.</p>
  const open = (gap: Gap): void => setOpened(new Set(opened).add(gap.from))
  return (
    <div ref={isSplit ? place : null} className="min-w-0">
      {diff.isPlain ? (
        <p className="pb-1 text-xs text-muted">
          Too much to compare line by line: all that was there, then all that is there now.
        </p>
      ) : null}
      <div
        role="region"
        aria-label={`${label}: ${toSums(diff)}`}
        tabIndex={0}
        className="max-h-[70vh] min-w-0 overflow-auto font-mono text-xs"
      >
        {drawn.slice(0, count).map((row, at) => (
          <Row key={at} row={row} isBare={isBare} onOpen={open} />
        ))}
      </div>
      {drawn.length > count ? (
        <More onClick={() => setCount(count + STEP)}>
          {`Show ${Math.min(STEP, drawn.length - count)} more of ${drawn.length} lines`}
        </More>
      ) : null}
    </div>
  )
})

const Row = memo(function Row({
  row,
  isBare,
  onOpen,
}: {
  readonly row: DiffRow | Gap | Pair
  readonly isBare: boolean
  readonly onOpen: (gap: Gap) => void
}): ReactElement {
  if (row.type === 'gap')
    return (
      <button
        type="button"
        onClick={() => onOpen(row)}
        className="flex w-full items-center gap-2 bg-raised px-2 text-left text-faint hover:text-ink"
      >
        ⋯ {row.rows.length} lines without a change
      </button>
    )
  if (row.type !== 'pair') return <DiffLine row={row} side="both" isBare={isBare} />
  return (
    <div className="grid grid-cols-2">
      {SIDES.map((side) => {
        const one = row[side]
        return one === undefined ? (
          <div
            key={side}
            className={classes('bg-raised', side === 'right' && 'border-l border-line')}
          />
        ) : (
          <div
            key={side}
            className={classes('min-w-0', side === 'right' && 'border-l border-line')}
          >
            <DiffLine row={one} side={side} isBare={isBare} />
          </div>
        )
      })}
    </div>
  )
})

const openGaps = (
  rows: readonly (DiffRow | Gap)[],
  opened: ReadonlySet<number>,
): readonly (DiffRow | Gap)[] =>
  rows.flatMap((row): readonly (DiffRow | Gap)[] =>
    row.type === 'gap' && opened.has(row.from) ? row.rows : [row],
  )

function toSums({ rows }: Diff): string {
  const count = (type: string): number => rows.filter((row) => row.type === type).length
  return `${count('removed')} removed, ${count('added')} added`
}
