/**
 * The size of the input at the start of an answer, for clients that draw their meter and decide to compact
 * by it, from upstreams that say it only at the end. Neighbours: `tokens/` counts. The truth that comes
 * later replaces it. Knows no wire.
 */
import type { AnswerStage } from './answer-stage.ts'
import { totalInput } from '../event/usage.ts'

/** `inputTokens` is asked only if the upstream did not say it. No input has no tokens, so 0 says nothing. */
export function createStartEstimate(inputTokens: () => number): AnswerStage {
  return {
    passes: () => true,
    push(event) {
      if (event.type !== 'message-start' || totalInput(event.usage ?? {}) > 0) return [event]
      const { step: _step, ...start } = event
      return [{ ...start, usage: { ...event.usage, inputTokens: inputTokens() } }]
    },
    end: () => [],
  }
}
