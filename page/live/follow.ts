/**
 * Keeps the list still under the eyes of who reads it: with new lines on top, the first line in sight stays where it is,
 * unless the newest are followed. Neighbours: `row-list.tsx`. Knows pixels and lines, no exchange.
 */
import { useLayoutEffect, useRef, type RefObject } from 'react'
import type { LiveRow } from './row.ts'

export interface Anchor {
  readonly id: string
  readonly index: number
}

/** So far from the top still is the top. */
const AT_TOP = 2

/** Where the list was left: whoever comes back from another view finds it there. */
export const listPlace = { top: 0 }

export const isAtTop = (place: HTMLElement): boolean => place.scrollTop <= AT_TOP

export function toAnchor(
  rows: readonly LiveRow[],
  scrollTop: number,
  height: number,
): Anchor | undefined {
  const index = Math.floor(scrollTop / height)
  const row = rows[index]
  return row === undefined ? undefined : { id: row.id, index }
}

/** By how many lines it has moved down. */
export function howFar(rows: readonly LiveRow[], { id, index }: Anchor): number {
  if (rows[index]?.id === id) return 0
  const found = rows.findIndex((row) => row.id === id)
  return found === -1 ? 0 : found - index
}

export function useStillness({
  place,
  rows,
  height,
  isFollowing,
}: {
  readonly place: RefObject<HTMLElement | null>
  readonly rows: readonly LiveRow[]
  readonly height: number
  readonly isFollowing: boolean
}): void {
  const shown = useRef<readonly LiveRow[]>(rows)
  useLayoutEffect(() => {
    const before = shown.current
    shown.current = rows
    const box = place.current
    if (box === null || before === rows) return
    // At the top the newest come into sight by themselves. Whoever has just scrolled away is no longer there.
    if (isFollowing && isAtTop(box)) return
    const anchor = toAnchor(before, box.scrollTop, height)
    const far = anchor === undefined ? 0 : howFar(rows, anchor)
    if (far !== 0) box.scrollTop += far * height
  }, [place, rows, height, isFollowing])
}
