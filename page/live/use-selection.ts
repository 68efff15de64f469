/**
 * Which line is the current one, and whether it is open beside the list. The address holds what is open, so that it can be sent
 * to somebody; moving changes it without a step of history each. Neighbours: `live-view.tsx`.
 */
import { useCallback, useRef, useState } from 'react'
import { go, toHref, usePlace } from '../core/route.ts'
import type { LiveRow } from './row.ts'

export interface Selection {
  /** The current line. */
  readonly cursor: string | undefined
  /** The one that is open beside the list. */
  readonly opened: string | undefined
  open(id: string): void
  close(): void
  /** Gives back the place of the line that is current now. */
  move(step: number): number | undefined
}

export function useSelection(rows: readonly LiveRow[]): Selection {
  const { parts, query } = usePlace()
  const opened = parts[0]
  const [moved, setMoved] = useState<string>()
  const cursor = opened ?? moved
  const latest = useRef({ rows, cursor, opened, query })
  latest.current = { rows, cursor, opened, query }

  const open = useCallback((id: string) => {
    const { opened: before, query: filters } = latest.current
    setMoved(id)
    if (id !== before) go(toHref('live', [id], filters), before !== undefined)
  }, [])
  const close = useCallback(() => {
    setMoved(latest.current.opened)
    go(toHref('live', [], latest.current.query), true)
  }, [])
  const move = useCallback((step: number) => {
    const { rows: all, cursor: at, opened: before, query: filters } = latest.current
    if (all.length === 0) return undefined
    const index = at === undefined ? -1 : all.findIndex(({ id }) => id === at)
    // Nobody is current yet: the first one is next, whichever way.
    const wanted = index === -1 ? 0 : index + step
    const next = Math.max(0, Math.min(all.length - 1, wanted))
    const row = all[next]
    if (row === undefined) return undefined
    setMoved(row.id)
    if (before !== undefined) go(toHref('live', [row.id], filters), true)
    return next
  }, [])
  return { cursor, opened, open, close, move }
}
