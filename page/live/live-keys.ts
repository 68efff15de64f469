/** The keys of the list. Neighbours: `live-view.tsx`; those that move within it stand in `row-list.tsx`. */
import type { RefObject } from 'react'
import { go, toHref } from '../core/route.ts'
import { useShortcuts } from '../core/shortcuts.ts'
import type { Selection } from './use-selection.ts'

export function useLiveKeys({
  selection,
  move,
  follow,
  pause,
  field,
}: {
  readonly selection: Selection
  move(step: number): void
  follow(): void
  pause(): void
  readonly field: RefObject<HTMLInputElement | null>
}): void {
  const { cursor } = selection
  useShortcuts([
    { keys: '/', says: 'Filter', run: () => field.current?.focus() },
    { keys: 'j', says: 'Next exchange', run: () => move(1) },
    { keys: 'k', says: 'Exchange before', run: () => move(-1) },
    { keys: 'f', says: 'Follow the newest', run: follow },
    { keys: '.', says: 'Pause, resume', run: pause },
    {
      keys: 'o',
      says: 'Open in full',
      run: () => (cursor === undefined ? undefined : go(toHref('exchange', [cursor]))),
    },
  ])
}
