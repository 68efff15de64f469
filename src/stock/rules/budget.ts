/**
 * How much one evaluation may take: lists in arguments are as long as a model makes them, and loops within loops
 * multiply. Neighbours: `inspect.ts` puts it into every loop, `language.ts` begins and asks.
 */
export interface Budget {
  begin(): void
  /** One step of a loop; throws when there were too many. */
  spend(): void
  /** Whether a limit was passed since `begin`. */
  isSpent(): boolean
}

const MAX_STEPS = 100_000

/** One step may still look through a long list or text, so that steps alone say too little. */
const MAX_MS = 250
const STEPS_PER_LOOK = 64

export function createBudget(now: () => number = () => performance.now()): Budget {
  let steps = 0
  let deadline = 0
  let isOver = false
  return {
    begin() {
      steps = 0
      deadline = 0
      isOver = false
    },
    spend() {
      steps += 1
      if (steps % STEPS_PER_LOOK === 0) {
        // The clock is asked only once there are steps to speak of.
        const time = now()
        deadline ||= time + MAX_MS
        isOver ||= steps > MAX_STEPS || time > deadline
      }
      if (isOver) throw new Error('Cannot go on with an expression that takes so long')
    },
    isSpent: () => isOver,
  }
}
