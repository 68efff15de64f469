/**
 * What policies keep of conversations, over their exchanges. Bounded: the conversation that was silent for longest is
 * forgotten. Neighbours: `exchange/` asks for each policy's own.
 */
import type { Policy } from './policy.ts'

export interface Memories {
  /**
   * Made at the first time. Kept by the policy's name and version: no version finds what another one left, which may be of
   * another shape. `conversation` names its owner too: ids of conversations are what clients say.
   */
  of(policy: Policy, conversation: string): unknown
}

const MAX_MEMORIES = 10_000

export function createMemories(max = MAX_MEMORIES): Memories {
  const kept = new Map<string, unknown>()
  return {
    of(policy, conversation) {
      const key = JSON.stringify([policy.name, policy.version ?? '', conversation])
      const found = kept.has(key) ? kept.get(key) : policy.memory?.()
      kept.delete(key)
      kept.set(key, found)
      if (kept.size > max) {
        const [oldest] = kept.keys()
        if (oldest !== undefined) kept.delete(oldest)
      }
      return found
    },
  }
}
