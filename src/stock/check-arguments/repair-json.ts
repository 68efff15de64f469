/**
 * Text that is nearly JSON -> JSON, where only one reading is possible. Neighbours: `mend.ts` reads it,
 * `check-arguments.ts` decides on what came out. Knows no tool and no policy.
 */
import type { JsonRepair } from './mend-token.ts'
import { mend } from './mend.ts'

export interface RepairedJson {
  readonly text: string
  /** What was done, each once; empty when it was JSON all along. `end`: what was open at the end is closed. */
  readonly repairs: readonly JsonRepair[]
}

/** JSON comes back as it is. `undefined`: it is not JSON, and what it was to be is not certain. Never throws. */
export function repairJson(text: string): RepairedJson | undefined {
  if (isJson(text)) return { text, repairs: [] }
  const mended = mend(text)
  // What the mender writes is JSON; this is the proof, for whoever relies on it.
  if (mended === undefined || !isJson(mended.text)) return undefined
  return { text: mended.text, repairs: mended.repairs }
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
