/**
 * Where we are, in the address behind `#`: `#/live?tool=Bash` or `#/exchange/ID`. The server knows one page only, so every
 * address can be reloaded and sent to somebody. Neighbours: `app.tsx` chooses the view, views keep their filters here.
 */
import { useMemo, useSyncExternalStore } from 'react'

const VIEWS = [
  'live',
  'exchange',
  'conversations',
  'approvals',
  'policies',
  'overview',
  'settings',
] as const
export type ViewName = (typeof VIEWS)[number]

export interface Place {
  readonly view: ViewName
  /** What follows in the path: an id, a tab. */
  readonly parts: readonly string[]
  readonly query: Readonly<Record<string, string>>
}

type Query = Readonly<Record<string, string | number | boolean | undefined>>

export function toHref(view: ViewName, parts: readonly string[] = [], query: Query = {}): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== '') params.set(name, String(value))
  const search = params.toString()
  return `#/${[view, ...parts].map(encodeURIComponent).join('/')}${search === '' ? '' : `?${search}`}`
}

export function readPlace(hash: string): Place {
  const [path = '', search = ''] = split(hash.replace(/^#\/?/, ''))
  const [view = '', ...parts] = path.split('/').map(decode)
  const query = Object.fromEntries(new URLSearchParams(search))
  return isView(view)
    ? { view, parts: parts.filter((part) => part !== ''), query }
    : { view: 'live', parts: [], query: {} }
}

/** Goes there. `isQuiet`: no step back leads here, for what changes with every key pressed. */
export function go(href: string, isQuiet = false): void {
  if (isQuiet) history.replaceState(null, '', href)
  else history.pushState(null, '', href)
  window.dispatchEvent(new Event('sluice-place'))
}

export function usePlace(): Place {
  const hash = useSyncExternalStore(follow, () => location.hash)
  return useMemo(() => readPlace(hash), [hash])
}

/** The filters of the view that is shown, and how to change some of them. */
export function usePlaceQuery(): readonly [Place['query'], (changes: Query) => void] {
  const { view, parts, query } = usePlace()
  return [query, (changes) => go(toHref(view, parts, { ...query, ...changes }), true)]
}

function follow(callback: () => void): () => void {
  const names = ['hashchange', 'popstate', 'sluice-place']
  for (const name of names) window.addEventListener(name, callback)
  return () => {
    for (const name of names) window.removeEventListener(name, callback)
  }
}

const isView = (text: string): text is ViewName => (VIEWS as readonly string[]).includes(text)

function split(text: string): readonly string[] {
  const at = text.indexOf('?')
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)]
}

function decode(word: string): string {
  try {
    return decodeURIComponent(word)
  } catch {
    return word
  }
}
