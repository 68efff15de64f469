/**
 * Arguments against the schema that the client declared, while somebody types. Neighbours: the gateway's own
 * `check-arguments`, of which this is all but the patterns: RE2 is too large for a page, and the browser's own regular
 * expressions can be made to run for ever by a schema. Only patterns that cannot are tried here; the gateway tries all.
 */
import { isObject, type JsonObject } from '../../src/base/json.ts'
import type { Patterns } from '../../src/stock/check-arguments/patterns.ts'
import { toSentence } from '../../src/stock/check-arguments/problem.ts'
import { validate } from '../../src/stock/check-arguments/validate.ts'

const MAX_TOLD = 5

/** Sentences, most important first; empty when nothing is wrong. */
export function checkSchema(schema: unknown, args: JsonObject): readonly string[] {
  if (!isObject(schema)) return []
  const problems = validate(schema, args, patterns).filter(({ kind }) => kind !== 'unchecked')
  const told = [...new Set(problems.slice(0, MAX_TOLD).map(toSentence))]
  const more = problems.length - MAX_TOLD
  return more > 0 ? [...told, `and ${more} more`] : told
}

const MAX_PATTERN = 200
const MAX_TEXT = 500
const MAX_REPEATS = 4

const patterns: Patterns = {
  test(pattern, text) {
    if (text.length > MAX_TEXT || !isHarmless(pattern)) return undefined
    try {
      return new RegExp(pattern, 'u').test(text)
    } catch {
      return undefined
    }
  },
}

/** Without groups nothing repeats inside of what repeats, and few repeats on a short text end soon. */
const isHarmless = (pattern: string): boolean =>
  pattern.length <= MAX_PATTERN &&
  !pattern.replaceAll(/\\./g, '').includes('(') &&
  (pattern.match(/[*+{]/g)?.length ?? 0) <= MAX_REPEATS
