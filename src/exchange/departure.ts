/**
 * The client going away, told to whatever goes on for it. An `AbortSignal` does the same and costs more
 * than the rest of a small exchange's books, so one is made only for those who want it. Neighbours:
 * `exchange.ts` sees the client leave; attempts and deliveries stop.
 */
export interface Departure {
  readonly hasLeft: boolean
  /** Calls back once, when the client leaves; gives back how to stop that. */
  onLeave(callback: () => void): () => void
  /** Made when it is first asked for. */
  toSignal(): AbortSignal
}

export const createDeparture = (): Departure & { leave(): void } => new Leaving()

/** A class, and not functions around what they share: every exchange has one, for as long as its stream takes. */
class Leaving implements Departure {
  hasLeft = false
  /** Two or three: a list is all that they need. */
  private waiting: readonly (() => void)[] = NOBODY
  private controller: AbortController | undefined

  onLeave(callback: () => void): () => void {
    // A list that is spread has room for seventeen, and an open stream mostly has one that waits.
    this.waiting = this.waiting.length === 0 ? [callback] : [...this.waiting, callback]
    return () => {
      if (this.waiting.includes(callback))
        this.waiting = this.waiting.filter((one) => one !== callback)
    }
  }

  toSignal(): AbortSignal {
    this.controller ??= new AbortController()
    if (this.hasLeft) this.controller.abort()
    return this.controller.signal
  }

  leave(): void {
    if (this.hasLeft) return
    this.hasLeft = true
    // Whoever is called may take out itself or others.
    for (const callback of this.waiting) if (this.waiting.includes(callback)) callback()
    this.controller?.abort()
  }
}

const NOBODY: readonly (() => void)[] = []

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
