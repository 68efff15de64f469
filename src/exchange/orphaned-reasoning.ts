/**
 * Thinking whose follower a policy took away → gone from the history too. On Responses a reasoning item and the item that
 * it led to belong together: the vendor refuses one whose follower is another, and a call that has lost its reasoning by
 * its id. Neighbours: `policies.ts` asks, for requests that come back with a notice of ours in them, and
 * `way.ts` for those that become Responses on the way.
 */
import { isObject, toList, toText, type JsonObject } from '../base/json.ts'
import { isNoticeText } from '../event/notice.ts'
import { unseal } from '../wire/envelope.ts'

/** The body without them; `undefined` when there is nothing to take out. */
export function withoutOrphans(body: JsonObject): JsonObject | undefined {
  const items = body['input']
  if (!Array.isArray(items) || !items.some(isNotice)) return undefined
  const orphans = findOrphans(items)
  const kept: unknown[] = []
  let isChanged = false
  /** In the turn whose reasoning went, ids would name what is not there. */
  let isBare = false
  items.forEach((item: unknown, at) => {
    if (!isObject(item)) return void kept.push(item)
    if (isGiven(item)) isBare = false
    if (item['type'] === 'reasoning') {
      isBare = orphans.has(at)
      isChanged ||= isBare
      return isBare ? undefined : void kept.push(item)
    }
    const { id, ...rest } = item
    kept.push(isBare && id !== undefined ? rest : item)
  })
  return isChanged ? { ...body, input: kept } : undefined
}

/** Thoughts in a row led to one and the same. */
function findOrphans(items: readonly unknown[]): ReadonlySet<number> {
  const found = new Set<number>()
  let isBeforeNotice = false
  for (let at = items.length - 1; at >= 0; at--) {
    const item = items[at]
    if (!isObject(item) || item['type'] !== 'reasoning') isBeforeNotice = isNotice(item)
    else if (isBeforeNotice && !isForeign(item)) found.add(at)
  }
  return found
}

/** Another wire's thinking in an envelope: who sealed that one takes it whatever follows, and would miss it. */
function isForeign(item: JsonObject): boolean {
  const sealed = unseal(toText(item['encrypted_content']))
  return sealed !== undefined && sealed.wire !== 'openai-responses'
}

/** Not said by the model: its turn is over there. */
const isGiven = ({ role, type }: JsonObject): boolean =>
  role === 'user' || (typeof type === 'string' && type.endsWith('_output'))

function isNotice(item: unknown): boolean {
  if (!isObject(item) || item['role'] !== 'assistant') return false
  const { content } = item
  if (typeof content === 'string') return isNoticeText(content)
  const [first] = toList(content)
  return isObject(first) && isNoticeText(toText(first['text']) ?? '')
}
