/**
 * Exchanges that wait until there is room for them. Neighbours: `queue.ts` lets them in. In the order in which they came,
 * each up to its time; measured by a clock that never jumps.
 */
export interface Waiters {
  wait(): Promise<boolean>
  /** Lets so many in. */
  admit(count: number): void
  /** All that wait get this answer. */
  end(isAdmitted: boolean): void
}

interface Waiter {
  settle(isAdmitted: boolean): void
}

export function createWaiters(maxWaitMs: number): Waiters {
  // A set keeps the order, and one whose time is up leaves without a search.
  const waiting = new Set<Waiter>()

  return {
    wait: () =>
      new Promise((resolve) => {
        const waiter: Waiter = {
          settle(isAdmitted) {
            clearTimeout(timer)
            waiting.delete(waiter)
            resolve(isAdmitted)
          },
        }
        const timer = setTimeout(() => waiter.settle(false), maxWaitMs)
        timer.unref()
        waiting.add(waiter)
      }),
    admit(count) {
      let left = count
      for (const waiter of waiting) {
        if (left-- <= 0) return
        waiter.settle(true)
      }
    },
    end(isAdmitted) {
      for (const waiter of waiting) waiter.settle(isAdmitted)
    },
  }
}
