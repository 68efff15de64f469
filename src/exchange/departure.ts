/**
 * The client going away, told to whatever goes on for it. An `AbortSignal` does the same and costs more
 * than the rest of a small exchange's books, so one is made only for those who want it. Neighbours:
 * `exchange.ts` sees the client leave; attempts and deliveries stop.
 */
import { createBag } from '../base/bag.ts'

export interface Departure {
  readonly hasLeft: boolean
  /** Calls back once, when the client leaves; gives back how to stop that. */
  onLeave(callback: () => void): () => void
  /** Made when it is first asked for. */
  toSignal(): AbortSignal
}

export function createDeparture(): Departure & { leave(): void } {
  const waiting = createBag<() => void>()
  let controller: AbortController | undefined
  // A field and not a getter: see `base/bag.ts`.
  const departure = {
    hasLeft: false,
    onLeave: (callback: () => void) => waiting.add(callback),
    toSignal(): AbortSignal {
      controller ??= new AbortController()
      if (departure.hasLeft) controller.abort()
      return controller.signal
    },
    leave(): void {
      if (departure.hasLeft) return
      departure.hasLeft = true
      waiting.forEach((callback) => callback())
      controller?.abort()
    },
  }
  return departure
}

/** The same of a signal that somebody has. */
export const toDeparture = (signal: AbortSignal): Departure => ({
  toSignal: () => signal,
  get hasLeft() {
    return signal.aborted
  },
  onLeave(callback) {
    signal.addEventListener('abort', callback, { once: true })
    return () => signal.removeEventListener('abort', callback)
  },
})
