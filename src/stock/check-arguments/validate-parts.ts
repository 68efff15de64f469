/**
 * What a JSON Schema says of objects and lists. Neighbour: `validate.ts`.
 */
import { isObject, toList, toObject, type JsonObject } from '../../base/json.ts'
import { nearest } from '../../base/nearest.ts'
import { describe } from './describe.ts'
import { quoteName } from './problem.ts'
import { bounds } from './validate-values.ts'
import { attempt, report, spend, visitAt, type Walk } from './walk.ts'

type List = readonly unknown[]

export function checkObject(schema: JsonObject, value: JsonObject, walk: Walk): void {
  const names = Object.keys(value)
  const { minProperties, maxProperties, propertyNames } = schema
  if (!spend(walk, names.length)) return
  checkRequired(schema, value, walk)
  if (typeof minProperties === 'number' && names.length < minProperties)
    bounds(schema, walk, `expected at least ${minProperties} properties, got ${names.length}`)
  if (typeof maxProperties === 'number' && names.length > maxProperties)
    bounds(schema, walk, `expected at most ${maxProperties} properties, got ${names.length}`)
  for (const name of names) {
    if (propertyNames !== undefined) visitAt(name, propertyNames, name, walk)
    checkProperty(schema, name, value[name], walk)
  }
  checkDependencies(schema, value, walk)
}

function checkRequired(schema: JsonObject, value: JsonObject, walk: Walk): void {
  const properties = toObject(schema['properties']) ?? {}
  const required = toList(schema['required'])
  if (!spend(walk, required.length)) return
  for (const name of required) {
    if (typeof name !== 'string' || Object.hasOwn(value, name)) continue
    const message = (): string => {
      const given = nearest(name, unknownNames(value, properties))
      const hint = given === undefined ? '' : `; you gave ${quoteName(given)}`
      return `missing, expected ${describe(ownOf(properties, name), walk.root)}${hint}`
    }
    report(walk, { path: [...walk.path, name], kind: 'missing', message, schema })
  }
}

const ownOf = (object: JsonObject, name: string): unknown =>
  Object.hasOwn(object, name) ? object[name] : undefined

const MAX_COMPARED = 50

const unknownNames = (value: JsonObject, properties: JsonObject): readonly string[] =>
  Object.keys(value)
    .slice(0, MAX_COMPARED)
    .filter((name) => !Object.hasOwn(properties, name))

function checkProperty(schema: JsonObject, name: string, value: unknown, walk: Walk): void {
  const properties = toObject(schema['properties']) ?? {}
  const isKnown = Object.hasOwn(properties, name)
  if (isKnown) visitAt(name, properties[name], value, walk)
  const isMatched = checkPatterns(schema, name, value, walk)
  const others = schema['additionalProperties']
  if (isKnown || isMatched || others === undefined) return
  if (others !== false) return visitAt(name, others, value, walk)
  const message = (): string => {
    const near = nearest(name, Object.keys(properties).slice(0, MAX_COMPARED))
    return `unknown property${near === undefined ? '' : `, did you mean ${quoteName(near)}?`}`
  }
  report(walk, { path: [...walk.path, name], kind: 'unknown', message, schema })
}

/** Whether the name is one of those that a pattern speaks of; what cannot be said counts as one. */
function checkPatterns(schema: JsonObject, name: string, value: unknown, walk: Walk): boolean {
  const patterns = toObject(schema['patternProperties'])
  if (patterns === undefined) return false
  let isMatched = false
  for (const [pattern, inner] of Object.entries(patterns)) {
    const fits = walk.patterns.test(pattern, name, (looks) => spend(walk, looks + 1))
    if (fits === undefined) walk.unsure += 1
    if (fits === true) visitAt(name, inner, value, walk)
    isMatched ||= fits !== false
  }
  return isMatched
}

function checkDependencies(schema: JsonObject, value: JsonObject, walk: Walk): void {
  for (const word of ['dependentRequired', 'dependentSchemas', 'dependencies']) {
    const entries = Object.entries(toObject(schema[word]) ?? {})
    if (!spend(walk, entries.length)) return
    for (const [name, needs] of entries) {
      if (!Object.hasOwn(value, name)) continue
      if (!Array.isArray(needs)) walk.visit(needs, value)
      else checkNeeds(schema, { name, needs, value }, walk)
    }
  }
}

function checkNeeds(
  schema: JsonObject,
  of: { readonly name: string; readonly needs: List; readonly value: JsonObject },
  walk: Walk,
): void {
  if (!spend(walk, of.needs.length)) return
  for (const need of of.needs)
    if (typeof need === 'string' && !Object.hasOwn(of.value, need)) {
      const message = (): string => `missing, needed beside ${quoteName(of.name)}`
      report(walk, { path: [...walk.path, need], kind: 'missing', message, schema })
    }
}

export function checkArray(schema: JsonObject, value: List, walk: Walk): void {
  const { minItems, maxItems, items, prefixItems } = schema
  if (!spend(walk, value.length)) return
  if (typeof minItems === 'number' && value.length < minItems)
    bounds(schema, walk, `expected at least ${minItems} items, got ${value.length}`)
  if (typeof maxItems === 'number' && value.length > maxItems)
    bounds(schema, walk, `expected at most ${maxItems} items, got ${value.length}`)
  // Before 2020-12 a list of schemas stood in `items`, and what follows them in `additionalItems`.
  const first = toList(Array.isArray(prefixItems) ? prefixItems : items)
  const others = Array.isArray(items) ? schema['additionalItems'] : items
  for (const [i, one] of value.entries())
    if (i < first.length) visitAt(i, first[i], one, walk)
    else if (others !== undefined) visitAt(i, others, one, walk)
  if (schema['uniqueItems'] === true) checkUnique(schema, value, walk)
  checkContains(schema, value, walk)
}

function checkContains(schema: JsonObject, value: List, walk: Walk): void {
  const { contains, minContains, maxContains } = schema
  if (contains === undefined) return
  const before = walk.unsure
  const count = value.filter((one) => attempt(contains, one, walk).length === 0).length
  const min = typeof minContains === 'number' ? minContains : 1
  const max = typeof maxContains === 'number' ? maxContains : Infinity
  if ((count >= min && count <= max) || walk.unsure > before) return
  const wanted = count < min ? `at least ${min}` : `at most ${max}`
  bounds(schema, walk, `expected ${wanted} of ${describe(contains, walk.root)}, got ${count}`)
}

/** Each is written in one way, so that a list need not be compared with itself. */
function checkUnique(schema: JsonObject, value: List, walk: Walk): void {
  const seen = new Set<string>()
  for (const one of value) {
    const text = toKey(one, walk)
    if (seen.has(text)) return bounds(schema, walk, 'expected no item twice')
    seen.add(text)
  }
}

function toKey(value: unknown, walk: Walk): string {
  if (!spend(walk, 1)) return ''
  if (Array.isArray(value)) return `[${value.map((one) => toKey(one, walk)).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value) ?? ''
  const members = Object.keys(value)
    .toSorted()
    .map((name) => `${JSON.stringify(name)}:${toKey(value[name], walk)}`)
  return `{${members.join(',')}}`
}
