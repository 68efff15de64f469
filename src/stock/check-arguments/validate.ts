/**
 * A value against a JSON Schema, of any draft, as clients send them: all drafts' words are read, wherever they
 * stand. Own, since schemas come from clients: a validator that takes `allOf` of two references twenty levels deep
 * at its word takes seconds, and one that runs `pattern` on the engine's own regular expressions takes for ever. Here
 * every look is counted, and patterns run on RE2. Neighbours: `validate-parts.ts` has objects and lists,
 * `validate-values.ts` has texts and numbers, `branches.ts` has `anyOf` and the like.
 *
 * Not checked: `format` (a remark since 2019-09), `unevaluated*`, references to outside, `$id` inside of a schema.
 * What cannot be checked passes, also under `not`.
 */
import { isObject, toList, type JsonObject } from '../../base/json.ts'
import { checkBranches } from './branches.ts'
import { describe, toTypes } from './describe.ts'
import type { Patterns } from './patterns.ts'
import { typeOf, type Problem } from './problem.ts'
import { checkArray, checkObject } from './validate-parts.ts'
import { checkNumber, checkText, isSame } from './validate-values.ts'
import { report, spend, targetOf, type Walk } from './walk.ts'

/** Each of about a microsecond. A call of a thousand values needs some thousands. */
const MAX_LOOKS = 200_000
/** Levels of schema, references and combinations counted; the stack takes more. */
const MAX_DEPTH = 700

/** What is wrong, most important first within each object; empty when nothing is. Never throws. */
export function validate(
  schema: JsonObject,
  value: unknown,
  patterns: Patterns,
): readonly Problem[] {
  const walk: Walk = {
    root: schema,
    patterns,
    path: [],
    targets: new Map(),
    problems: [],
    left: MAX_LOOKS,
    depth: 0,
    unsure: 0,
    visit: (inner, of) => visit(inner, of, walk),
  }
  visit(schema, value, walk)
  if (!isOver(walk)) return walk.problems
  return [{ path: [], kind: 'unchecked', message: () => 'too complex to be checked', schema }]
}

/** One schema on one value. */
function visit(schema: unknown, value: unknown, walk: Walk): void {
  if (schema === false)
    return report(walk, { kind: 'value', message: () => 'not allowed', schema: {} })
  if (!isObject(schema) || !spend(walk, 1)) return
  walk.depth += 1
  if (walk.depth > MAX_DEPTH) walk.left = -1
  else visitObject(schema, value, walk)
  walk.depth -= 1
}

function visitObject(schema: JsonObject, value: unknown, walk: Walk): void {
  // OpenAPI's word, which comes along in schemas that were made from it.
  if (value === null && schema['nullable'] === true) return
  followRef(schema, value, walk)
  if (!checkType(schema, value, walk)) return
  checkConstants(schema, value, walk)
  if (typeof value === 'string') checkText(schema, value, walk)
  else if (typeof value === 'number') checkNumber(schema, value, walk)
  else if (Array.isArray(value)) checkArray(schema, value, walk)
  else if (isObject(value)) checkObject(schema, value, walk)
  checkBranches(schema, value, walk)
}

const isOver = (walk: Walk): boolean => walk.left < 0

function followRef(schema: JsonObject, value: unknown, walk: Walk): void {
  const ref = schema['$ref'] ?? schema['$dynamicRef'] ?? schema['$recursiveRef']
  if (typeof ref !== 'string') return
  const target = targetOf(ref, walk)
  if (target === undefined) walk.unsure += 1
  else visit(target, value, walk)
}

function checkType(schema: JsonObject, value: unknown, walk: Walk): boolean {
  const types = toTypes(schema['type'])
  if (types.length === 0) return true
  const type = typeOf(value)
  const fits = types.some((one) => one === type || (one === 'integer' && Number.isInteger(value)))
  if (fits) return true
  const got = type === 'number' && types.includes('integer') ? 'a number with a fraction' : type
  const message = (): string => `expected ${describe(schema, walk.root)}, got ${got}`
  report(walk, { kind: 'type', message, schema, types })
  return false
}

function checkConstants(schema: JsonObject, value: unknown, walk: Walk): void {
  const constant = schema['const']
  if (constant !== undefined && !isSame(value, constant, walk))
    report(walk, {
      kind: 'value',
      message: () => `expected ${describe(schema, walk.root)}`,
      schema,
    })
  const values = schema['enum']
  if (!Array.isArray(values) || !spend(walk, values.length)) return
  if (toList(values).some((one) => isSame(value, one, walk))) return
  report(walk, {
    kind: 'value',
    message: () => `expected ${describe({ enum: values }, walk.root)}`,
    schema,
  })
}
