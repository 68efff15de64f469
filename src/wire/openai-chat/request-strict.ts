/**
 * Whether OpenAI enforces a schema. It refuses one that it cannot enforce, where other vendors leave
 * properties optional under the same word. Neighbours: `request-write-tools.ts` and `request-write-format.ts`.
 */
import { isObject, toList, type JsonObject } from '../../base/json.ts'

const REFUSED = (
  'oneOf allOf not if then else dependentRequired dependentSchemas patternProperties propertyNames ' +
  'minProperties maxProperties unevaluatedProperties uniqueItems contains default'
).split(' ')
const MAPS = ['properties', '$defs', 'definitions']

/** Every property is required, nothing else is allowed, and no keyword stands in it that is not enforced. */
export function isEnforceable(schema: JsonObject): boolean {
  if (schema['type'] !== 'object' || schema['anyOf'] !== undefined) return false
  // A list and no recursion: whoever sends a schema may have nested it without end.
  const open: unknown[] = [schema]
  for (let at = 0; at < open.length; at++) {
    const inner = open[at]
    if (!isObject(inner)) continue
    if (REFUSED.some((keyword) => inner[keyword] !== undefined)) return false
    if (isOpen(inner)) return false
    for (const key of MAPS) if (isObject(inner[key])) open.push(...Object.values(inner[key]))
    open.push(inner['items'], ...toList(inner['anyOf']), ...toList(inner['prefixItems']))
  }
  return true
}

function isOpen(schema: JsonObject): boolean {
  const types = Array.isArray(schema['type']) ? schema['type'] : [schema['type']]
  if (!types.includes('object')) return isObject(schema['properties'])
  const names = isObject(schema['properties']) ? Object.keys(schema['properties']) : []
  const required = toList(schema['required'])
  return (
    schema['additionalProperties'] !== false ||
    required.length !== names.length ||
    names.some((name) => !required.includes(name))
  )
}
