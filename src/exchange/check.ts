/**
 * Holds what we write ourselves to the grammar of its wire, and counts where it is not. Neighbours:
 * `acted.ts` and `translated.ts` write.
 */
import { createFrameDecoder } from '../sse/decode.ts'
import type { Wire } from '../wire/wire.ts'

export interface Check {
  push(bytes: Uint8Array): void
  /** How many violations there were. */
  end(): number
}

export function createCheck(wire: Wire): Check {
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
    end() {
      for (const frame of framer.end()) count(grammar.push(frame))
      count(grammar.end())
      return violations
    },
  }
}
