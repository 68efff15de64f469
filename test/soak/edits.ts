/**
 * Edits of a running gateway's config and policy, again and again: each must come into force, and a mistake must not.
 * Neighbours: `gateway.ts` writes the files and sees what came of it, `soak.ts` lets it run beside the load.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { SoakedGateway } from './gateway.ts'

export interface Edits {
  /** How many there have been. */
  readonly count: number
  /** Resolves when the last one is in force. */
  stop(): Promise<void>
}

/** Behind a mistake comes what mends it. */
const ROUND = ['config', 'policy', 'mistake', 'config'] as const

export function editAgainAndAgain(
  gateway: SoakedGateway,
  everyMs: number,
  problems: string[],
): Edits {
  const stopped = new AbortController()
  let count = 0
  const edit = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      for (const what of ROUND) {
        await gateway.reload(what)
        count += 1
      }
      await sleep(everyMs, undefined, { signal: stopped.signal })
    }
  }
  const going = edit().catch((error: unknown) => {
    if (!stopped.signal.aborted) problems.push(String(error))
  })
  return {
    get count() {
      return count
    },
    async stop() {
      stopped.abort()
      await going
    },
  }
}
