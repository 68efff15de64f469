/** How many came that are not in sight: held back by a pause, or above the place where somebody reads. */
import { useRef, type ReactElement } from 'react'
import type { LiveRow } from './row.ts'

interface NewPillProps {
  readonly rows: readonly LiveRow[]
  readonly heldCount: number
  readonly isPaused: boolean
  readonly isFollowing: boolean
  onResume(): void
  onTop(): void
}

export function NewPill(props: NewPillProps): ReactElement | null {
  const { rows, heldCount, isPaused, isFollowing } = props
  const above = useAbove(rows, isFollowing)
  if (isPaused && heldCount > 0)
    return <Pill says={`${heldCount} new, resume`} onPress={props.onResume} />
  return above > 0 ? <Pill says={`${above} new above`} onPress={props.onTop} /> : null
}

/** How many stand above the one that was the newest when following ended. */
function useAbove(rows: readonly LiveRow[], isFollowing: boolean): number {
  const newest = useRef<string>(undefined)
  if (isFollowing) newest.current = rows[0]?.id
  const at = isFollowing ? 0 : rows.findIndex(({ id }) => id === newest.current)
  return Math.max(0, at)
}

function Pill({ says, onPress }: { readonly says: string; onPress(): void }): ReactElement {
  return (
    <button
      type="button"
      onClick={onPress}
      className="appear tabular absolute top-9 left-1/2 z-20 -translate-x-1/2 rounded-full bg-accent px-3 py-1 text-xs font-medium text-on-accent shadow-pop"
    >
      {says}
    </button>
  )
}
