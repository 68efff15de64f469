/**
 * Cache marks of ours to `cache_control`, no more of them than the API takes. Neighbours: whoever writes a
 * block or a tool puts a mark on it by `markOf`; `request-write.ts` has the sum of them limited at the end.
 */
import { isObject, toList, toObject, type JsonObject } from '../../base/json.ts'
import type { Profile } from '../../request/profile.ts'
import type { CacheMark } from '../../request/request.ts'

const MAX_MARKS = 4
/** In the order in which the vendor puts a prompt together. */
const FIELDS = ['tools', 'system', 'messages'] as const

/** Other lifetimes are other vendors': the default is the one that costs least to write. */
export function markOf(
  mark: CacheMark | undefined,
  profile: Profile,
): { cache_control?: JsonObject } {
  if (mark === undefined || !profile.takesCacheMarks) return {}
  const isKnown = mark.ttl === '1h' || mark.ttl === '5m'
  return { cache_control: { type: 'ephemeral', ...(isKnown ? { ttl: mark.ttl } : {}) } }
}

/**
 * The body with its last marks only: a later mark covers all that stands before it. Marks that last longer
 * must come first, so one hour behind five minutes becomes five minutes too.
 */
export function limitMarks(body: JsonObject): JsonObject {
  const marks = FIELDS.flatMap((field) => marksIn(body[field]))
  const room = MAX_MARKS - (body['cache_control'] === undefined ? 0 : 1)
  const kept = marks.slice(-room)
  const firstShort = kept.findIndex((mark) => mark['ttl'] !== '1h')
  const long = new Set(firstShort === -1 ? kept : kept.slice(0, firstShort))
  const isRight =
    kept.length === marks.length && kept.every((mark) => !isLong(mark) || long.has(mark))
  if (isRight) return body
  const all = new Set(kept)
  const mend = (block: unknown): unknown => {
    if (!isObject(block)) return block
    const { cache_control: control, ...rest } = block
    const mark = toObject(control)
    const content = Array.isArray(rest['content']) ? { content: rest['content'].map(mend) } : {}
    if (mark === undefined) return { ...rest, ...content }
    if (!all.has(mark)) return { ...rest, ...content }
    const isCut = isLong(mark) && !long.has(mark)
    return { ...rest, ...content, cache_control: isCut ? { type: 'ephemeral' } : mark }
  }
  const mended: Record<string, unknown> = { ...body }
  for (const field of FIELDS)
    if (Array.isArray(body[field])) mended[field] = toList(body[field]).map(mend)
  return mended
}

const isLong = (mark: JsonObject): boolean => mark['ttl'] === '1h'

function marksIn(list: unknown): readonly JsonObject[] {
  return toList(list).flatMap((block) => {
    if (!isObject(block)) return []
    const own = toObject(block['cache_control'])
    return [...marksIn(block['content']), ...(own === undefined ? [] : [own])]
  })
}
