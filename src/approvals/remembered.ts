/**
 * Decisions that hold for more than one call. Neighbours: `desk.ts` asks before it opens a ticket. Bounded: what
 * was not used for longest is forgotten, and then a person is asked again.
 */
import type { Decision } from '../policy/policy.ts'
import type { Asked } from './asked.ts'
import type { Remember } from './ticket.ts'

export interface Remembered {
  find(asked: Asked): Decision | undefined
  add(asked: Asked, decision: Decision, remember: Remember): void
}

const MAX_KEPT = 2000

export function createRemembered(max = MAX_KEPT): Remembered {
  const kept = new Map<string, Decision>()
  return {
    find({ key, callKey }) {
      const found = kept.has(key) ? key : callKey
      const decision = kept.get(found)
      if (decision === undefined) return undefined
      kept.delete(found)
      kept.set(found, decision)
      return decision
    },
    add({ key, callKey }, decision, remember) {
      if (remember === 'once') return
      kept.set(remember === 'conversation' ? key : callKey, decision)
      for (const oldest of kept.keys()) {
        if (kept.size <= max) return
        kept.delete(oldest)
      }
    },
  }
}
