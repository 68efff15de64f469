/**
 * Whether a JSON Schema can be enforced as this vendor does it: every object closed, every property
 * required, few ways to combine (mapping 1.14). A schema that breaks these rules and still says `strict` is
 * refused whole, so it is asked for without. Neighbours: `request-write-tools.ts`, `request-write-settings.ts`.
 */
import { isObject, toList, type JsonObject } from '../../base/json.ts'

const REFUSED = [
  'allOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
  'patternProperties',
  'propertyNames',
  'dependentRequired',
  'dependentSchemas',
  'unevaluatedProperties',
]

/** Deeper ones are refused by the vendor too, and nobody can make us look without end. */
const MAX_DEPTH = 10

export const isStrictSchema = (schema: JsonObject): boolean =>
  schema['type'] === 'object' && schema['anyOf'] === undefined && isClosed(schema, 0)

function isClosed(schema: unknown, depth: number): boolean {
  if (!isObject(schema) || depth > MAX_DEPTH) return false
  if (REFUSED.some((keyword) => schema[keyword] !== undefined)) return false
  const next = (inner: unknown): boolean => isClosed(inner, depth + 1)
  return (
    isClosedObject(schema) &&
    valuesOf(schema['properties']).every(next) &&
    valuesOf(schema['$defs']).every(next) &&
    valuesOf(schema['definitions']).every(next) &&
    toList(schema['anyOf']).every(next) &&
    (schema['items'] === undefined || next(schema['items']))
  )
}

function isClosedObject(schema: JsonObject): boolean {
  const isKind = schema['type'] === 'object' || toList(schema['type']).includes('object')
  if (!isKind && schema['properties'] === undefined) return true
  const required = new Set(toList(schema['required']))
  const names = isObject(schema['properties']) ? Object.keys(schema['properties']) : []
  return schema['additionalProperties'] === false && names.every((name) => required.has(name))
}

const valuesOf = (value: unknown): readonly unknown[] =>
  isObject(value) ? Object.values(value) : []
