/**
 * The raw arguments of a call -> arguments that fit the schema, where that is certain. Neighbours: `mend.ts` makes
 * JSON of the text, `fix.ts` makes the value fit, `check-arguments.ts` decides. Knows no policy.
 */
import { losesDigits } from '../../base/json-exact.ts'
import { isObject, toObject, type JsonObject } from '../../base/json.ts'
import type { ArgumentCheck } from './check.ts'
import { fixValue, type Fix } from './fix.ts'
import { mend } from './mend.ts'
import { isJson } from './repair-json.ts'
import type { Problem, Step } from './problem.ts'
import { resolveLocal } from './walk.ts'

export type FittedArguments =
  /** `fixes`: what was done, never empty. */
  | { readonly ok: true; readonly value: JsonObject; readonly fixes: readonly Fix[] }
  /** `digits`: a number would be rounded. `schema`: it is an object, and does not fit. */
  | { readonly ok: false; readonly cause: 'json' | 'cut' | 'digits' }
  | { readonly ok: false; readonly cause: 'schema'; readonly problems: readonly Problem[] }

export interface FitOptions {
  readonly schema: JsonObject | undefined
  readonly check: ArgumentCheck
  readonly removeUnknown: boolean
}

/** Never throws, whatever the text. */
export function fitArguments(text: string, options: FitOptions): FittedArguments {
  const read = readObject(text, options.schema)
  if (!read.ok) return read
  const { value, fixes } = read
  // What is rewritten is written by the engine, and that would write another number.
  if (losesDigits(read.text)) return { ok: false, cause: 'digits' }
  const problemsOf = (one: JsonObject): readonly Problem[] =>
    options.check.problems(options.schema, one)
  const problems = problemsOf(value)
  if (problems.length === 0) return { ok: true, value, fixes }
  const more = fixValue(value, problemsOf, {
    text: read.text,
    removeUnknown: options.removeUnknown,
  })
  // The value has been changed on the way, but of a problem found before only the words are still to be said.
  if (more === undefined) return { ok: false, cause: 'schema', problems }
  return { ok: true, value, fixes: [...fixes, ...more] }
}

type ReadObject =
  | {
      readonly ok: true
      readonly text: string
      readonly value: JsonObject
      readonly fixes: readonly Fix[]
    }
  | { readonly ok: false; readonly cause: 'json' | 'cut' }

/** How often JSON may stand in a string of JSON. */
const MAX_WRAPS = 3

function readObject(source: string, schema: JsonObject | undefined): ReadObject {
  const fixes: Fix[] = []
  let text = source.trim() === '' ? '{}' : source
  for (let wraps = 0; wraps <= MAX_WRAPS; wraps++) {
    const mended = isJson(text) ? { text, repairs: [], open: undefined } : mend(text)
    if (mended === undefined) return { ok: false, cause: 'json' }
    const value: unknown = JSON.parse(mended.text)
    for (const what of mended.repairs) fixes.push({ what, path: '' })
    if (isObject(value)) {
      const isWhole = mended.open === undefined || hasAll(schema, value, mended.open)
      if (!isWhole) return { ok: false, cause: 'cut' }
      return { ok: true, text: mended.text, value, fixes }
    }
    if (typeof value !== 'string') return { ok: false, cause: 'json' }
    fixes.push({ what: 'json-in-text', path: '' })
    text = value
  }
  return { ok: false, cause: 'json' }
}

/**
 * Whether what was open at the end has all that it could have: each property that its schema knows. Then nothing can
 * be missing behind the end, not even when the answer was cut off there. Of a list nobody knows how long it was to be.
 */
function hasAll(schema: JsonObject | undefined, value: JsonObject, open: readonly Step[]): boolean {
  let place: unknown = schema
  let inner: unknown = value
  for (const step of [undefined, ...open]) {
    if (step !== undefined) {
      inner = toObject(inner)?.[step]
      place = toObject(toObject(place)?.['properties'])?.[step]
    }
    place = resolved(place, schema)
    if (!isObject(place) || !isObject(inner)) return false
    const properties = toObject(place['properties'])
    const takesMore =
      place['additionalProperties'] !== false && place['additionalProperties'] != null
    if (properties === undefined || takesMore || place['patternProperties'] != null) return false
    const given = inner
    if (!Object.keys(properties).every((name) => Object.hasOwn(given, name))) return false
  }
  return true
}

function resolved(place: unknown, root: JsonObject | undefined): unknown {
  if (!isObject(place) || typeof place['$ref'] !== 'string' || root === undefined) return place
  return resolveLocal(place['$ref'], root)
}
