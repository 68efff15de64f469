/**
 * Text of somebody else, as it is: never markup, nothing hidden in it, and never so much at once that the page stands
 * still. Neighbours: `plain.ts` makes hidden characters visible.
 */
import type { ReactElement } from 'react'
import { toCount } from '../core/format.ts'
import { classes } from '../kit/classes.ts'
import { showHidden, showName } from './plain.ts'
import { useRemembered } from './remembered.ts'

/** Characters and lines before "show all". */
const FIRST_CHARS = 3000
const FIRST_LINES = 32
/** How much more at a time: laying out this much takes less than a frame or two. */
const STEP_CHARS = 60_000

interface VerbatimProps {
  readonly text: string
  readonly isMono?: boolean
  /** More comes: a cursor stands at the end, and the end is what is shown of long ones. */
  readonly isLive?: boolean
  /** Shows this much first. */
  readonly lines?: number
  readonly className?: string
  /** By which it is remembered whether all of it was wanted. */
  readonly memory?: string | undefined
}

export function Verbatim({
  text,
  isMono = false,
  isLive = false,
  lines = FIRST_LINES,
  className,
  memory,
}: VerbatimProps): ReactElement {
  const [shown, setShown] = useRemembered(memory, 0)
  const cut = findCut(text, lines)
  const end = shown === 0 ? cut : Math.min(text.length, shown)
  const isCut = end < text.length
  const visible = isCut ? (isLive && shown === 0 ? text.slice(-end) : text.slice(0, end)) : text
  return (
    <div className={classes('min-w-0', className)}>
      <p className={classes('verbatim', isMono && 'font-mono text-xs')}>
        {isCut && isLive && shown === 0 ? '… ' : ''}
        {showHidden(visible)}
        {isLive ? <Cursor /> : null}
      </p>
      {isCut ? (
        <More onClick={() => setShown(end === cut && !isLive ? STEP_CHARS : end + STEP_CHARS)}>
          {text.length - end > STEP_CHARS
            ? `Show more of ${toCount(text.length)} characters`
            : `Show all ${toCount(text.length)} characters`}
        </More>
      ) : null}
      {shown > 0 && cut < text.length ? <More onClick={() => setShown(0)}>Show less</More> : null}
    </div>
  )
}

/** A link-like button below something that is cut. */
export function More({
  onClick,
  children,
}: {
  readonly onClick: () => void
  readonly children: string
}): ReactElement {
  return (
    <button
      type="button"
      onClick={onClick}
      className="mt-1 mr-3 text-xs font-medium text-accent hover:underline"
    >
      {children}
    </button>
  )
}

export const Cursor = (): ReactElement => (
  <span aria-hidden="true" className="breathe ml-px text-accent">
    ▍
  </span>
)

/** A name of somebody else's: one line, cut where there is no room, with all of it for the pointer. */
export function Name({
  text,
  className,
}: {
  readonly text: string
  readonly className?: string
}): ReactElement {
  const plain = showName(text)
  return (
    <bdi dir="ltr" title={plain} className={classes('min-w-0 truncate', className)}>
      {plain}
    </bdi>
  )
}

/** Where the first lines end. */
function findCut(text: string, lines: number): number {
  let end = -1
  for (let line = 0; line < lines; line++) {
    end = text.indexOf('\n', end + 1)
    if (end === -1) end = text.length
    if (end >= text.length) break
  }
  // A little more than the limit is not worth a button.
  const cut = Math.min(end, FIRST_CHARS)
  return text.length - cut < 200 ? text.length : cut
}
