/**
 * A schema in which every list says what it holds: OpenAI refuses `{"type":"array"}` alone, which in JSON Schema
 * is a list of anything. Neighbours: `schema.ts`. Looks only where schemas stand: names of properties and values
 * in `enum`, `default` and `examples` are the client's own.
 */
import { isObject, type JsonObject } from '../base/json.ts'

/** Where schemas stand by name, in a list, and alone. */
const MAPS = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']
const LISTS = ['anyOf', 'oneOf', 'allOf', 'prefixItems']
const ONES = ['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains']

/** Deeper than any tool that people write; nobody can make us run out of stack. */
const MAX_DEPTH = 100

/** The same object where nothing is missing: most schemas are whole, and are not copied. */
export const withItems = (schema: JsonObject): JsonObject => complete(schema, 0)

function complete(schema: JsonObject, depth: number): JsonObject {
  if (depth > MAX_DEPTH) return schema
  const changes: Record<string, unknown> = {}
  const inner = (value: unknown): unknown => (isObject(value) ? complete(value, depth + 1) : value)
  for (const key of MAPS) {
    const map = schema[key]
    if (!isObject(map)) continue
    const entries = Object.entries(map).map(([name, one]) => [name, inner(one)] as const)
    if (entries.some(([name, one]) => one !== map[name])) changes[key] = Object.fromEntries(entries)
  }
  for (const key of LISTS) {
    const list: unknown = schema[key]
    if (!Array.isArray(list)) continue
    const all = list.map(inner)
    if (all.some((one, i) => one !== list[i])) changes[key] = all
  }
  for (const key of ONES) {
    const one = inner(schema[key])
    if (one !== schema[key]) changes[key] = one
  }
  if (isList(schema['type']) && schema['items'] === undefined) changes['items'] = {}
  return Object.keys(changes).length === 0 ? schema : { ...schema, ...changes }
}

const isList = (type: unknown): boolean =>
  type === 'array' || (Array.isArray(type) && type.includes('array'))
