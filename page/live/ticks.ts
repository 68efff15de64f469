/** One timer for all clocks in sight. It runs while somebody looks at one. */
import { useSyncExternalStore } from 'react'

const EVERY_MS = 100

const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined
let now = Date.now()

function follow(callback: () => void): () => void {
  listeners.add(callback)
  timer ??= setInterval(tick, EVERY_MS)
  return () => {
    listeners.delete(callback)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

function tick(): void {
  now = Date.now()
  for (const callback of listeners) callback()
}

const read = (): number => now

export const useTick = (): number => useSyncExternalStore(follow, read)
