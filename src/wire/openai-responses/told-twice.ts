/**
 * This wire tells everything several times: in deltas, in `done` events, in the done item and in the
 * terminal event. What the later word adds is news; where it differs, a client runs what it heard last
 * and a policy has judged what came first. Neighbours: `open-items.ts`.
 */
import type { Fragments } from '../../base/fragments.ts'
import { toText, type JsonObject } from '../../base/json.ts'

/** What `whole` says beyond what has come already, if it begins with that. */
export function restOf(told: Fragments, whole: unknown): string | undefined {
  const text = toText(whole)
  if (text === undefined || text.length <= told.length) return undefined
  const known = told.toString()
  return text.startsWith(known) ? text.slice(known.length) : undefined
}

/** Whether two tellings of arguments are the same; an empty one tells nothing. */
export function isSameJson(one: string, other: string): boolean {
  if (one === other || other === '') return true
  try {
    return JSON.stringify(JSON.parse(one)) === JSON.stringify(JSON.parse(other))
  } catch {
    return false
  }
}

/** Whether two tellings name the same call; one that names none tells nothing. */
export const isSameCallId = (one: JsonObject, other: JsonObject): boolean =>
  one['call_id'] == null || other['call_id'] == null || one['call_id'] === other['call_id']
