/**
 * What came of all exchanges: counted by fault, with the first that went wrong, and the little that the records are later
 * compared with. Neighbours: `soak.ts` tells, `records.ts` and `report.ts` read.
 */
import type { FaultName } from '../../src/testkit/faulty-upstream-names.ts'
import type { Asked } from './client.ts'

export interface Tally {
  add(asked: Asked): void
  /** By fault and what came of it. */
  readonly counts: ReadonlyMap<FaultName, ReadonlyMap<string, number>>
  readonly total: number
  readonly wrong: number
  /** What went wrong, the first of it. */
  readonly problems: readonly string[]
  /** All of them, by number. */
  readonly kept: ReadonlyMap<number, Kept>
}

export interface Kept {
  readonly came: Asked['came']
  readonly status: number
  readonly isSurelySent: boolean
}

const MAX_PROBLEMS = 20

export function createTally(): Tally {
  const counts = new Map<FaultName, Map<string, number>>()
  const problems: string[] = []
  const kept = new Map<number, Kept>()
  let wrong = 0
  return {
    counts,
    problems,
    kept,
    get total() {
      return kept.size
    },
    get wrong() {
      return wrong
    },
    add({ plan, came, status, isSurelySent, why }) {
      const { number, answer } = plan
      const ofFault = counts.get(answer.fault) ?? new Map<string, number>()
      counts.set(answer.fault, ofFault)
      ofFault.set(String(came), (ofFault.get(String(came)) ?? 0) + 1)
      kept.set(number, { came, status, isSurelySent })
      if (came !== 'wrong') return
      wrong += 1
      if (problems.length < MAX_PROBLEMS)
        problems.push(
          `exchange ${number} (${plan.from} to ${plan.model}, ${plan.isStream ? 'stream' : 'JSON'}, ${plan.manner.type}): ${why}`,
        )
    },
  }
}
