/**
 * Schemas that combine schemas: `allOf`, `anyOf`, `oneOf`, `not`, `if`. Of several that do not fit, the one that was
 * probably meant is spoken of: a list of what is wrong with each would help no model. Neighbour: `validate.ts`.
 */
import { isObject, toList, type JsonObject } from '../../base/json.ts'
import { describe, toTypes } from './describe.ts'
import { typeOf, type Problem } from './problem.ts'
import { attempt, report, targetOf, type Walk } from './walk.ts'

export function checkBranches(schema: JsonObject, value: unknown, walk: Walk): void {
  for (const one of toList(schema['allOf'])) walk.visit(one, value)
  if (Array.isArray(schema['anyOf'])) checkAny(schema, 'anyOf', value, walk)
  if (Array.isArray(schema['oneOf'])) checkAny(schema, 'oneOf', value, walk)
  if (schema['not'] !== undefined) checkNot(schema, value, walk)
  if (schema['if'] !== undefined) checkIf(schema, value, walk)
}

function checkAny(schema: JsonObject, word: 'anyOf' | 'oneOf', value: unknown, walk: Walk): void {
  const before = walk.unsure
  const branches = toList(schema[word])
  const tried: (readonly Problem[])[] = []
  let fitting = 0
  for (const branch of branches) {
    const problems = attempt(branch, value, walk)
    if (problems.length === 0) fitting += 1
    if (fitting > 0 && word === 'anyOf') return
    tried.push(problems)
  }
  if (fitting === 1 || branches.length === 0) return
  if (fitting === 0) return reportBest(schema, { branches, tried, value }, walk)
  if (walk.unsure === before)
    report(walk, {
      kind: 'value',
      message: () => `fits ${fitting} alternatives, expected one`,
      schema,
    })
}

interface Tried {
  readonly branches: readonly unknown[]
  readonly tried: readonly (readonly Problem[])[]
  readonly value: unknown
}

function reportBest(schema: JsonObject, { branches, tried, value }: Tried, walk: Walk): void {
  const depth = walk.path.length
  const near = tried
    // One of another type was not meant.
    .filter((problems) => !problems.some((one) => isAt(one, depth) && one.kind === 'type'))
    .map((problems) => ({ problems, far: distance(problems, depth) }))
    .toSorted((a, b) => a.far - b.far)
  const [best, second] = near
  if (best !== undefined && (second === undefined || best.far < second.far || near.length === 2)) {
    for (const problem of best.problems) report(walk, problem)
    return
  }
  const message = (): string => `expected ${describe(schema, walk.root)}, got ${typeOf(value)}`
  if (best !== undefined) return report(walk, { kind: 'value', message, schema })
  const types = [...new Set(branches.flatMap((branch) => typesOf(branch, walk)))]
  report(walk, { kind: 'type', message, schema, types })
}

const isAt = (problem: Problem, depth: number): boolean => problem.path.length === depth

/** A value that tells alternatives apart (`kind: "circle"`) weighs more than all that follows from it. */
function distance(problems: readonly Problem[], depth: number): number {
  const isOther = problems.some(
    (one) => one.kind === 'value' && one.path.length <= depth + 1 && !isOpenValue(one),
  )
  return problems.length + (isOther ? 1000 : 0)
}

/** A wrong word of many is a slip; another constant is another alternative. */
const isOpenValue = ({ schema }: Problem): boolean => toList(schema['enum']).length > 1

const MAX_REFS = 8

function typesOf(schema: unknown, walk: Walk): readonly string[] {
  let one = schema
  for (let i = 0; i < MAX_REFS && isObject(one) && typeof one['$ref'] === 'string'; i++)
    one = targetOf(one['$ref'], walk)
  return isObject(one) ? toTypes(one['type']) : []
}

function checkNot(schema: JsonObject, value: unknown, walk: Walk): void {
  const before = walk.unsure
  const fits = attempt(schema['not'], value, walk).length === 0
  if (!fits || walk.unsure > before) return
  report(walk, { kind: 'value', message: () => 'not allowed here', schema })
}

function checkIf(schema: JsonObject, value: unknown, walk: Walk): void {
  const before = walk.unsure
  const fits = attempt(schema['if'], value, walk).length === 0
  if (walk.unsure > before) return
  const next = fits ? schema['then'] : schema['else']
  if (next !== undefined) walk.visit(next, value)
}
