/**
 * What is said to the kill switch: `{ "halted": true, "by", "reason" }`. Neighbours: `api.ts`.
 */
import type { JsonObject } from '../base/json.ts'

export interface HaltOrder {
  readonly halted: boolean
  readonly by: string
  readonly reason: string | undefined
}

const MAX_NAME = 200
const MAX_REASON = 2000

export function readHalt({
  halted,
  by = 'admin',
  reason,
}: JsonObject): HaltOrder | { readonly message: string } {
  if (typeof halted !== 'boolean') return { message: 'Say "halted": true or false' }
  if (typeof by !== 'string' || by.length > MAX_NAME)
    return { message: `"by" takes up to ${MAX_NAME} characters` }
  if (reason !== undefined && (typeof reason !== 'string' || reason.length > MAX_REASON))
    return { message: `"reason" takes up to ${MAX_REASON} characters` }
  return { halted, by, reason }
}
