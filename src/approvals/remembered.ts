/**
 * Decisions that hold for more than one call. Neighbours: `desk.ts` asks before it opens a ticket. Bounded: what
 * was not used for longest is forgotten, and then a person is asked again.
 */
import type { Decision } from '../policy/policy.ts'
import type { Asked } from './asked.ts'
import type { Remember } from './ticket.ts'

/** A decision, and which calls it holds for: a `key` or a `callKey` of `Asked`. */
export interface RememberedDecision {
  readonly key: string
  readonly decision: Decision
}

export interface Remembered {
  find(asked: Asked): Decision | undefined
  /** Gives back what is to be told to others. */
  add(asked: Asked, decision: Decision, remember: Remember): RememberedDecision | undefined
  /** What another desk remembers. */
  learn(one: RememberedDecision): void
}

const MAX_KEPT = 2000

export function createRemembered(max = MAX_KEPT): Remembered {
  const kept = new Map<string, Decision>()

  function learn({ key, decision }: RememberedDecision): void {
    kept.set(key, decision)
    for (const oldest of kept.keys()) {
      if (kept.size <= max) return
      kept.delete(oldest)
    }
  }

  return {
    learn,
    find({ key, callKey }) {
      const found = kept.has(key) ? key : callKey
      const decision = kept.get(found)
      if (decision === undefined) return undefined
      kept.delete(found)
      kept.set(found, decision)
      return decision
    },
    add({ key, callKey }, decision, remember) {
      if (remember === 'once') return undefined
      const one = { key: remember === 'conversation' ? key : callKey, decision }
      learn(one)
      return one
    },
  }
}
