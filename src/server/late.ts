/**
 * Reports that wait for what policies do behind an answer: those in shadow decide when the client has gone. Neighbours:
 * `gateway.ts` tells all others at once. How long each may take is the policies' own time.
 */
import { createBag, type Bag } from '../base/bag.ts'
import type { ExchangeReport } from '../exchange/report.ts'

export interface Late {
  add(report: ExchangeReport, work: Promise<void>): void
  /** Waits for those that are under way, not longer than that; none is told afterwards. */
  close(graceMs: number): Promise<void>
}

/** `running`: what an old configuration is kept for. */
export function createLate(
  running: Bag<Promise<unknown>>,
  tell: (report: ExchangeReport) => void,
): Late {
  const waiting = createBag<Promise<void>>()
  let isClosed = false
  return {
    add(report, work) {
      const waits = waiting.add(work)
      const runs = running.add(work)
      void work.then(() => {
        waiting.remove(waits)
        running.remove(runs)
        if (!isClosed) tell(report)
      })
    },
    async close(graceMs) {
      const all: Promise<void>[] = []
      waiting.forEach((work) => all.push(work))
      if (all.length > 0 && graceMs > 0) {
        let timer: NodeJS.Timeout | undefined
        const over = new Promise<void>((resolve) => (timer = setTimeout(resolve, graceMs)))
        await Promise.race([Promise.all(all), over])
        clearTimeout(timer)
      }
      isClosed = true
    },
  }
}
