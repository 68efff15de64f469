/**
 * What a translation could not carry, told to the client in a header and to the log. Neighbours: `way.ts` has
 * those of the request, an encoder those of the answer; of a stream only the first are known when its head
 * leaves.
 */
import type { Loss } from '../event/loss.ts'

const MAX_HEADER_CHARS = 2000

/** `x-sluice-losses: dropped:top_k, approximated:reasoning.effort`; nothing where nothing was lost. */
export function toLossHeader(losses: readonly Loss[]): Readonly<Record<string, string>> {
  if (losses.length === 0) return {}
  const names = losses.map(({ kind, what }) => `${kind}:${what.replace(/[^\x21-\x7e]+|,/g, '_')}`)
  const text = names.join(', ')
  // Cut between two names, so that none is taken for another.
  const end = text.length > MAX_HEADER_CHARS ? text.lastIndexOf(',', MAX_HEADER_CHARS) : text.length
  return { 'x-sluice-losses': end === -1 ? 'many' : text.slice(0, end) }
}

/** Both lists as one, each loss once. */
export function mergeLosses(first: readonly Loss[], second: readonly Loss[]): readonly Loss[] {
  if (first.length === 0) return second
  if (second.length === 0) return first
  const merged = new Map<string, Loss>()
  for (const loss of [...first, ...second]) {
    const key = `${loss.kind} ${loss.what}`
    const before = merged.get(key)
    merged.set(key, before === undefined ? loss : { ...loss, count: before.count + loss.count })
  }
  return [...merged.values()]
}
