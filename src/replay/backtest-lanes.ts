/**
 * Work of several conversations at once, of each in its order. Neighbours: `backtest.ts`. What is done at once costs no
 * more than a promise; who takes time is not waited for by others, up to a limit.
 */
export interface Lanes {
  /** Resolves when there is room for more. `work` never rejects. */
  start(lane: string, work: () => Promise<void>): Promise<void> | undefined
  idle(): Promise<void>
}

const MAX_AT_ONCE = 8

export function createLanes(max = MAX_AT_ONCE): Lanes {
  const last = new Map<string, Promise<void>>()
  let open = 0
  let onFree: (() => void) | undefined

  const free = (): Promise<void> => new Promise((resolve) => (onFree = resolve))

  return {
    start(lane, work) {
      open += 1
      const before = last.get(lane)
      const going = before === undefined ? work() : before.then(work)
      const done = going.then(() => {
        open -= 1
        if (last.get(lane) === done) last.delete(lane)
        onFree?.()
      })
      last.set(lane, done)
      return open < max ? undefined : free()
    },
    async idle() {
      while (open > 0) await free()
    },
  }
}
