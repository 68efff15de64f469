/**
 * Arguments → one text for all ways to write the same, for the key of a kept verdict. Neighbours: `subject.ts`.
 * Whatever two readers could read differently (a member twice, a number with more digits than a machine keeps)
 * stays as it was written: such a call never shares the verdict of another.
 */
import { isObject, parseObject } from '../../base/json.ts'
import { losesDigits } from '../../base/json-exact.ts'
import { isNestedDeeper, MAX_NESTING } from '../../base/nesting.ts'

export function toCanonical(raw: string): string {
  const value = parseObject(raw)
  if (value === undefined || losesDigits(raw) || isNestedDeeper(value, MAX_NESTING)) return raw
  const count = { members: 0 }
  const sorted = sortKeys(value, count)
  return countColons(raw) === count.members ? JSON.stringify(sorted) : raw
}

function sortKeys(value: unknown, count: { members: number }): unknown {
  if (Array.isArray(value)) return value.map((item) => sortKeys(item, count))
  if (!isObject(value)) return value
  const keys = Object.keys(value).toSorted()
  count.members += keys.length
  // Pairs and no object: an object would put keys that look like numbers first, and `__proto__` nowhere.
  return { pairs: keys.map((key) => [key, sortKeys(value[key], count)]) }
}

/** Outside of strings there is one for each member, also for those that come twice. */
function countColons(raw: string): number {
  let count = 0
  let isInString = false
  for (let at = 0; at < raw.length; at++) {
    const char = raw.charCodeAt(at)
    if (isInString && char === 0x5c /* \ */) at += 1
    else if (char === 0x22 /* " */) isInString = !isInString
    else if (char === 0x3a /* : */ && !isInString) count += 1
  }
  return count
}
