/**
 * Holds what we write ourselves to the grammar of its wire, and counts where it is not. Neighbours:
 * `answer-out.ts` writes.
 *
 * Reading every frame again that was just written takes as long as half of the translation. That our encoders
 * keep the grammar is proved by tests; what is looked for here is what no test thought of, and such a thing
 * does not happen once. So a running gateway looks at its first answers, and then at one in sixty-four.
 */
import { createFrameDecoder } from '../sse/decode.ts'
import type { Wire } from '../wire/wire.ts'

export interface Check {
  push(bytes: Uint8Array): void
  /** How many violations there were; `hasLeft`: the client did, and what it got has no end to be right. */
  end(hasLeft?: boolean): number
}

const FIRST = 16
const EVERY = 64

/** Whether the next answer is looked at. */
export function createSampler(): () => boolean {
  let count = 0
  return () => count++ < FIRST || count % EVERY === 0
}

/** For what is against the grammar on purpose: only an event in the middle of an answer is a sign of life to Codex. */
export const UNCHECKED: Check = { push() {}, end: () => 0 }

export function createCheck(wire: Wire, isChecked: boolean): Check {
  if (!isChecked) return UNCHECKED
  const framer = createFrameDecoder()
  const grammar = wire.createGrammar()
  let violations = 0
  const count = (findings: readonly { severity: string }[]): void => {
    violations += findings.filter(({ severity }) => severity === 'error').length
  }
  return {
    push(bytes) {
      for (const frame of framer.push(bytes)) count(grammar.push(frame))
    },
    end(hasLeft = false) {
      if (hasLeft) return violations
      for (const frame of framer.end()) count(grammar.push(frame))
      count(grammar.end())
      return violations
    },
  }
}
