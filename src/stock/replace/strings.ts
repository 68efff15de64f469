/**
 * Other words in the texts of arguments: values only, since names of fields are the tool's. Neighbours:
 * `../replace-text.ts` judges calls by it. What is unchanged is the same object.
 */
import { isObject } from '../../base/json.ts'
import { isNestedDeeper, MAX_NESTING } from '../../base/nesting.ts'
import type { Search } from './search.ts'

export interface Replaced<Value> {
  readonly value: Value
  /** How many matches were replaced. */
  readonly count: number
}

export function replaceStrings(
  args: Readonly<Record<string, unknown>>,
  search: Search,
): Replaced<Readonly<Record<string, unknown>>> {
  // Nobody nests so deep, and what does could not be written again.
  if (isNestedDeeper(args, MAX_NESTING)) return { value: args, count: 0 }
  let count = 0
  const walk = (value: unknown): unknown => {
    if (typeof value === 'string') {
      const made = replaceIn(value, search)
      count += made.count
      return made.value
    }
    if (Array.isArray(value)) return value.map(walk)
    return isObject(value) ? walkObject(value) : value
  }
  const walkObject = (value: Readonly<Record<string, unknown>>): Record<string, unknown> =>
    Object.fromEntries(Object.entries(value).map(([key, one]) => [key, walk(one)]))
  const value = walkObject(args)
  return count === 0 ? { value: args, count } : { value, count }
}

/** A whole text with other words in it. */
function replaceIn(text: string, search: Search): Replaced<string> {
  const matches = search.createMatcher().push(text, true)
  if (matches.length === 0) return { value: text, count: 0 }
  const pieces: string[] = []
  let at = 0
  for (const { start, end, pattern } of matches) {
    pieces.push(text.slice(at, start), search.becomes[pattern] ?? '')
    at = end
  }
  pieces.push(text.slice(at))
  return { value: pieces.join(''), count: matches.length }
}
