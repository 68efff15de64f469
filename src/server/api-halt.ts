/**
 * What is said to the kill switch: `{ "halted": true, "by", "reason" }`. Neighbours: `api.ts`.
 */
import type { HaltOrder } from '../api/types.ts'
import type { JsonObject } from '../base/json.ts'
import { fail, say, type Reply } from './api-answer.ts'
import type { ApiOptions } from './api-handler.ts'

const MAX_NAME = 200
const MAX_REASON = 2000

export async function turnHalt({ setHalt, log }: ApiOptions, body: JsonObject): Promise<Reply> {
  const read = readHalt(body)
  if ('message' in read) return fail(400, read.message)
  const state = await setHalt(read.halted, read.by, read.reason)
  const words = read.halted ? 'All tool calls are halted' : 'Tool calls are let through again'
  log.warn(words, { by: read.by })
  return say(state)
}

function readHalt({
  halted,
  by = 'admin',
  reason,
}: JsonObject): (HaltOrder & { readonly by: string }) | { readonly message: string } {
  if (typeof halted !== 'boolean') return { message: 'Say "halted": true or false' }
  if (typeof by !== 'string' || by.length > MAX_NAME)
    return { message: `"by" takes up to ${MAX_NAME} characters` }
  if (reason !== undefined && (typeof reason !== 'string' || reason.length > MAX_REASON))
    return { message: `"reason" takes up to ${MAX_REASON} characters` }
  return { halted, by, ...(reason === undefined ? undefined : { reason }) }
}
