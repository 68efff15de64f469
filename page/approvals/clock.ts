/** The clock of all countdowns: one for all of them, so that they step at once, on the second. */
import { useSyncExternalStore } from 'react'

const SECOND = 1000
let now = Date.now()
let timer: ReturnType<typeof setTimeout> | undefined
const listeners = new Set<() => void>()

function tick(): void {
  now = Date.now()
  timer = setTimeout(tick, SECOND - (now % SECOND))
  for (const callback of listeners) callback()
}

function follow(callback: () => void): () => void {
  listeners.add(callback)
  if (timer === undefined) tick()
  return () => {
    listeners.delete(callback)
    if (listeners.size > 0) return
    clearTimeout(timer)
    timer = undefined
  }
}

/** Milliseconds since 1970, of this second. */
export const useClock = (): number => useSyncExternalStore(follow, () => now)
