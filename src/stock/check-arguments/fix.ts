/**
 * A value that a schema does not take -> the same value as the schema takes it, where nothing is lost: `"5"` for an
 * integer, one text where a list of texts is expected, JSON inside of a string. Each fix answers a problem that was
 * found, and the whole is checked again: what is right is never touched, and what comes out fits. Neighbours:
 * `validate.ts` finds the problems, `arguments.ts` asks.
 */
import { losesDigits } from '../../base/json-exact.ts'
import { isObject, type JsonObject } from '../../base/json.ts'
import { isJson } from './repair-json.ts'
import { mend } from './mend.ts'
import { toPath, typeOf, type Problem, type Step } from './problem.ts'

export interface FixOptions {
  /** The text that the value was read from: what `1.0` was is seen there only. */
  readonly text: string
  /** Whether properties that the schema does not know may go. */
  readonly removeUnknown: boolean
}

/** What was done, and where. */
export interface Fix {
  readonly what: string
  readonly path: string
}

/** How often what was put right may show something else: a text that holds an object that holds a text. */
const MAX_ROUNDS = 6

/** Changes `value` until `check` has nothing to say. `undefined`: it cannot be put right. */
export function fixValue(
  value: JsonObject,
  check: (value: JsonObject) => readonly Problem[],
  options: FixOptions,
): readonly Fix[] | undefined {
  const fixes: Fix[] = []
  for (let round = 0; round <= MAX_ROUNDS; round++) {
    const problems = check(value)
    if (problems.length === 0) return fixes
    const before = fixes.length
    const seen = new Set<string>()
    for (const problem of problems) {
      const key = JSON.stringify(problem.path)
      if (seen.has(key)) continue
      seen.add(key)
      const what = fixOne(value, problem, options)
      // One that stays makes all others vain.
      if (what === undefined) return undefined
      fixes.push({ what, path: toPath(problem.path) })
    }
    if (fixes.length === before) return undefined
  }
  return undefined
}

function fixOne(root: JsonObject, problem: Problem, options: FixOptions): string | undefined {
  const { path, kind } = problem
  const last = path.at(-1)
  const parent = last === undefined ? undefined : valueAt(root, path.slice(0, -1))
  if (last === undefined || !isBranch(parent) || !Object.hasOwn(parent, last)) return undefined
  if (kind === 'unknown') {
    if (!options.removeUnknown) return undefined
    return remove(parent, last, 'removed-unknown')
  }
  const value = (parent as Readonly<Record<Step, unknown>>)[last]
  const fixed = toFixed(problem, value, options)
  if (fixed !== undefined) {
    // Not by assignment: the name may be `__proto__`.
    Object.defineProperty(parent, last, {
      value: fixed.value,
      enumerable: true,
      configurable: true,
      writable: true,
    })
    return fixed.what
  }
  // Models write null for "not given". Where the property must be there, the next round says so.
  const isGiven = kind === 'type' || kind === 'value'
  return isGiven && value === null && isObject(parent)
    ? remove(parent, last, 'removed-null')
    : undefined
}

const isBranch = (value: unknown): value is object => typeof value === 'object' && value !== null

function remove(parent: object, name: Step, what: string): string {
  Reflect.deleteProperty(parent, name)
  return what
}

function valueAt(root: unknown, path: readonly Step[]): unknown {
  let at = root
  for (const step of path) {
    if (!isBranch(at) || !Object.hasOwn(at, step)) return undefined
    at = (at as Readonly<Record<Step, unknown>>)[step]
  }
  return at
}

interface Fixed {
  readonly value: unknown
  readonly what: string
}

function toFixed(problem: Problem, value: unknown, options: FixOptions): Fixed | undefined {
  if (problem.kind === 'value') return toListed(problem.schema, value)
  if (problem.kind !== 'type') return undefined
  const types = new Set(problem.types)
  if (typeof value === 'string') {
    const read = fromText(value, types)
    if (read !== undefined) return { value: read.value, what: `text-to-${typeOf(read.value)}` }
  }
  if (types.has('string') && isPlain(value, options.text))
    return { value: String(value), what: `${typeOf(value)}-to-text` }
  if (types.has('array') && isOne(value)) return { value: [value], what: 'one-to-list' }
  return undefined
}

/** Text that begins as JSON does and could not be read is no single value. */
const isOne = (value: unknown): boolean =>
  value !== null && !Array.isArray(value) && !(typeof value === 'string' && LIKE_JSON.test(value))

/** One of the values that are allowed, written as a text. */
function toListed(schema: JsonObject, value: unknown): Fixed | undefined {
  if (typeof value !== 'string') return undefined
  const allowed: readonly unknown[] = Array.isArray(schema['enum'])
    ? schema['enum']
    : [schema['const']]
  const found = allowed.find(
    (one) => (typeof one === 'number' || typeof one === 'boolean') && String(one) === value,
  )
  return found === undefined ? undefined : { value: found, what: `text-to-${typeof found}` }
}

const NUMBER = /^-?(?:0|[1-9]\d{0,400})(?:\.\d{1,400})?(?:[eE][-+]?\d{1,3})?$/
const WORDS: Readonly<Record<string, unknown>> = {
  true: true,
  True: true,
  false: false,
  False: false,
}

/** What a text says, where it can only say one thing. */
function fromText(
  text: string,
  types: ReadonlySet<string>,
): { readonly value: unknown } | undefined {
  if ((types.has('number') || types.has('integer')) && NUMBER.test(text) && !losesDigits(text)) {
    const value = Number(text)
    if (Number.isFinite(value) && (types.has('number') || Number.isInteger(value))) return { value }
  }
  if (types.has('boolean') && Object.hasOwn(WORDS, text)) return { value: WORDS[text] }
  if (types.has('null') && (text === 'null' || text === 'None')) return { value: null }
  const isWanted = (value: unknown): boolean => types.has(typeOf(value)) && isBranch(value)
  const json = toJson(text)
  if (json === undefined || losesDigits(json)) return undefined
  const value: unknown = JSON.parse(json)
  return isWanted(value) ? { value } : undefined
}

const LIKE_JSON = /^\s{0,100}[[{`]/

/** JSON that stands in a text. What breaks off there is not closed. */
function toJson(text: string): string | undefined {
  if (!LIKE_JSON.test(text)) return undefined
  if (isJson(text)) return text
  const mended = mend(text)
  return mended?.open === undefined ? mended?.text : undefined
}

/** True, false and whole numbers read the same as text. `1.10` does not: as a number it is `1.1`. */
function isPlain(value: unknown, text: string): boolean {
  if (typeof value === 'boolean') return true
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) return false
  return !['.', 'e', 'E'].some((next) => text.includes(`${value}${next}`))
}
