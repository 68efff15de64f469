/**
 * Keys that do something: `g l` goes to a view, `/` to its search, `?` shows them all. Each view adds its own by
 * `useShortcuts`. A key that is typed into a field is no shortcut.
 */
import { useEffect, useRef } from 'react'
import { createStore } from './store.ts'

export interface Shortcut {
  /** As `KeyboardEvent.key` says it; two after one another as `g l`. */
  readonly keys: string
  readonly says: string
  run(event: KeyboardEvent): void
}

/** Those that hold now, for the list of them. */
export const shortcuts = createStore<readonly Shortcut[]>([])

const PAUSE_MS = 900
let groups: readonly (readonly Shortcut[])[] = []
let first = ''
let forgetting: ReturnType<typeof setTimeout> | undefined

export function useShortcuts(list: readonly Shortcut[]): void {
  const latest = useRef(list)
  latest.current = list
  const names = list.map(({ keys }) => keys).join(',')
  useEffect(() => {
    const group = latest.current.map((one, at) => ({
      ...one,
      run: (event: KeyboardEvent) => latest.current[at]?.run(event),
    }))
    setGroups([...groups, group])
    return () => setGroups(groups.filter((one) => one !== group))
  }, [names])
}

function setGroups(next: readonly (readonly Shortcut[])[]): void {
  groups = next
  shortcuts.set(groups.flat())
}

export function listenToKeys(): void {
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
    if (isTyping(event.target) && event.key !== 'Escape') return
    // What came last stands in front.
    const all = groups.flat().toReversed()
    const pair = all.find(({ keys }) => first !== '' && keys === `${first} ${event.key}`)
    const found = pair ?? all.find(({ keys }) => keys === event.key)
    clearTimeout(forgetting)
    first =
      pair === undefined && all.some(({ keys }) => keys.startsWith(`${event.key} `))
        ? event.key
        : ''
    forgetting = setTimeout(() => (first = ''), PAUSE_MS)
    if (found === undefined) return
    event.preventDefault()
    found.run(event)
  })
}

export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  )
}
