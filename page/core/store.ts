/** A value outside of React that components follow. Tells at most once per frame. */
import { useSyncExternalStore } from 'react'

export interface Store<T> {
  get(): T
  set(next: T): void
  onChange(callback: () => void): () => void
}

export function createStore<T>(first: T): Store<T> {
  let value = first
  let isTelling = false
  const listeners = new Set<() => void>()

  function tell(): void {
    isTelling = false
    for (const callback of listeners) callback()
  }

  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return
      value = next
      if (isTelling) return
      isTelling = true
      // A hidden tab has no frames, and its title must change all the same.
      if (document.hidden) setTimeout(tell, 250)
      else requestAnimationFrame(tell)
    },
    onChange(callback) {
      listeners.add(callback)
      return () => listeners.delete(callback)
    },
  }
}

export const useStore = <T>(store: Store<T>): T => useSyncExternalStore(store.onChange, store.get)
