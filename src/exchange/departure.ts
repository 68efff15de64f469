/**
 * The client going away, told to whatever goes on for it. An `AbortSignal` does the same and costs more
 * than the rest of a small exchange's books, so one is made only for those who want it. Neighbours:
 * `exchange.ts` sees the client leave; attempts and deliveries stop.
 */
export interface Departure {
  readonly hasLeft: boolean
  /** Calls back once, when the client leaves; gives back how to stop that. */
  onLeave(callback: () => void): () => void
  readonly signal: AbortSignal
}

export function createDeparture(): Departure & { leave(): void } {
  const waiting = new Set<() => void>()
  let controller: AbortController | undefined
  let hasLeft = false
  return {
    get hasLeft() {
      return hasLeft
    },
    onLeave(callback) {
      waiting.add(callback)
      return () => void waiting.delete(callback)
    },
    get signal() {
      controller ??= new AbortController()
      if (hasLeft) controller.abort()
      return controller.signal
    },
    leave() {
      if (hasLeft) return
      hasLeft = true
      for (const callback of waiting) callback()
      waiting.clear()
      controller?.abort()
    },
  }
}

/** The same of a signal that somebody has. */
export const toDeparture = (signal: AbortSignal): Departure => ({
  signal,
  get hasLeft() {
    return signal.aborted
  },
  onLeave(callback) {
    signal.addEventListener('abort', callback, { once: true })
    return () => signal.removeEventListener('abort', callback)
  },
})
