/**
 * The admin token in this browser. It comes by the link that the gateway prints (`/#token=…`, a fragment, which no browser
 * sends) or is typed in; it stays in this tab, or in this browser where somebody wants that. Neighbours: `api.ts` sends it,
 * `login.tsx` asks for it. Nobody else reads it.
 */
const PLACE = 'sluice-token'

const kept = sessionStorage.getItem(PLACE) ?? localStorage.getItem(PLACE) ?? undefined
const linked = takeFromLink()
let current = linked ?? kept
const listeners = new Set<() => void>()

/**
 * Before anything is asked: a link of somebody else must not end a login that is good. It is settled once and at the start, so
 * that no late refusal of the one can be taken for a refusal of the other.
 */
export async function settleToken(isGood: (token: string) => Promise<boolean>): Promise<void> {
  if (linked === undefined) return
  if (kept !== undefined && kept !== linked && !(await isGood(linked))) current = kept
  else sessionStorage.setItem(PLACE, linked)
}

export const readToken = (): string | undefined => current

export function keepToken(token: string, isForLong: boolean): void {
  current = token
  sessionStorage.setItem(PLACE, token)
  if (isForLong) localStorage.setItem(PLACE, token)
  tell()
}

/** Logged out, or it is not the gateway's. */
export function dropToken(): void {
  current = undefined
  sessionStorage.removeItem(PLACE)
  localStorage.removeItem(PLACE)
  tell()
}

export function onToken(callback: () => void): () => void {
  listeners.add(callback)
  return () => listeners.delete(callback)
}

function tell(): void {
  for (const callback of listeners) callback()
}

/** Takes it out of the address, so that it is in no bookmark and no history. */
function takeFromLink(): string | undefined {
  const found = /^#token=([\w.~-]{1,1000})(?:&(.*))?$/.exec(location.hash)
  const token = found?.[1]
  if (token === undefined) return undefined
  history.replaceState(null, '', `${location.pathname}${found?.[2] ?? '#/live'}`)
  return token
}
