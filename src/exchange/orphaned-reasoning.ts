/**
 * Thinking whose follower a policy took away → gone from the history too. On Responses a reasoning item and the item that
 * it led to belong together: the vendor refuses one whose follower is another, and a call that has lost its reasoning by
 * its id. Neighbours: `policies.ts` asks, for requests that come back with a notice of ours in them.
 */
import { isObject, toList, toText, type JsonObject } from '../base/json.ts'
import { NOTICE } from '../policy/notice.ts'

/** The body without them; `undefined` when there is nothing to take out. */
export function withoutOrphans(body: JsonObject): JsonObject | undefined {
  const items = body['input']
  if (!Array.isArray(items) || !items.some(isNotice)) return undefined
  const kept: unknown[] = []
  let isChanged = false
  /** In the turn whose reasoning went, ids would name what is not there. */
  let isBare = false
  items.forEach((item: unknown, at) => {
    if (!isObject(item)) return void kept.push(item)
    if (item['role'] === 'user' || item['type'] === 'function_call_output') isBare = false
    if (item['type'] === 'reasoning' && isNotice(items[at + 1])) {
      isChanged = true
      isBare = true
      return
    }
    const { id, ...rest } = item
    kept.push(isBare && id !== undefined && item['type'] !== 'reasoning' ? rest : item)
  })
  return isChanged ? { ...body, input: kept } : undefined
}

function isNotice(item: unknown): boolean {
  if (!isObject(item) || item['role'] !== 'assistant') return false
  const { content } = item
  if (typeof content === 'string') return content.startsWith(NOTICE)
  const [first] = toList(content)
  return isObject(first) && toText(first['text'])?.startsWith(NOTICE) === true
}
