/**
 * Whether OpenAI enforces a schema. It refuses one that it cannot enforce, where other vendors leave properties
 * optional under the same word (mapping 1.14): such a schema is then asked for without. Neighbours: the request
 * writers of both OpenAI wires.
 */
import { isObject, toList, type JsonObject } from '../base/json.ts'

const REFUSED = (
  'oneOf allOf not if then else dependentRequired dependentSchemas patternProperties propertyNames ' +
  'minProperties maxProperties unevaluatedProperties uniqueItems contains default'
).split(' ')
const MAPS = ['properties', '$defs', 'definitions']
/** One of these says what a node is. */
const KINDS = ['type', 'anyOf', '$ref']

/** More of them, one in the other, are refused. */
const MAX_OBJECTS = 10

interface Open {
  readonly node: unknown
  /** How many objects it stands in. */
  readonly depth: number
}

/** Every property is required, nothing else is allowed, and no keyword stands in it that is not enforced. */
export function isStrictSchema(schema: JsonObject): boolean {
  if (schema['type'] !== 'object' || schema['anyOf'] !== undefined) return false
  // A list and no recursion: whoever sends a schema may have nested it without end.
  const open: Open[] = [{ node: schema, depth: 1 }]
  for (let at = 0; at < open.length; at++) {
    const { node, depth = 0 } = open[at] ?? {}
    if (!isObject(node) || depth > MAX_OBJECTS || !isEnforced(node)) return false
    for (const key of MAPS)
      for (const inner of Object.values(isObject(node[key]) ? node[key] : {}))
        open.push({ node: inner, depth: depth + 1 })
    const beside = [...toList(node['anyOf']), ...toList(node['prefixItems'])]
    if (node['items'] !== undefined) beside.push(node['items'])
    for (const inner of beside) open.push({ node: inner, depth })
  }
  return true
}

/** As far as the node itself goes. */
function isEnforced(node: JsonObject): boolean {
  if (REFUSED.some((keyword) => node[keyword] !== undefined)) return false
  if (KINDS.every((key) => node[key] === undefined)) return false
  const types = Array.isArray(node['type']) ? node['type'] : [node['type']]
  if (types.includes('array') && node['items'] === undefined) return false
  if (!types.includes('object')) return node['properties'] === undefined
  if (!isObject(node['properties']) || node['additionalProperties'] !== false) return false
  const names = Object.keys(node['properties'])
  const required = new Set(toList(node['required']))
  return required.size === names.length && names.every((name) => required.has(name))
}
