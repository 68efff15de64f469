/**
 * What Gemini's servers know of each type of value, and what becomes of the rest. Neighbours:
 * `schema-gemini.ts` walks the schema and asks here for each node that is of a type.
 */
import { isObject, toList, toText, type JsonObject } from '../base/json.ts'

type TypeName = 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object'

const NAMES: ReadonlySet<unknown> = new Set<TypeName>([
  'string',
  'number',
  'integer',
  'boolean',
  'array',
  'object',
])
const isName = (value: unknown): value is TypeName => NAMES.has(value)

/** `format` says nothing binding in JSON Schema, so that one which is not here goes without a word. */
const FORMATS: Readonly<Record<TypeName, readonly unknown[]>> = {
  string: ['date-time', 'enum'],
  number: ['float', 'double'],
  integer: ['int32', 'int64'],
  boolean: [],
  array: [],
  object: [],
}

/** Limits that are numbers. */
const LIMITS: Readonly<Record<TypeName, readonly string[]>> = {
  string: ['minLength', 'maxLength'],
  number: ['minimum', 'maximum'],
  integer: ['minimum', 'maximum'],
  boolean: [],
  array: ['minItems', 'maxItems'],
  object: ['minProperties', 'maxProperties'],
}

/** Keywords that hold values back and have no counterpart. */
const LOST = [
  'not',
  'if',
  'multipleOf',
  'uniqueItems',
  'contains',
  'prefixItems',
  'patternProperties',
  'propertyNames',
  'dependentRequired',
  'dependentSchemas',
  'dependencies',
  'unevaluatedProperties',
] as const

/** Whether something goes that the model would have had to keep to. */
export const hasLostKeyword = (node: JsonObject): boolean =>
  LOST.some((key) => node[key] !== undefined && node[key] !== false) ||
  isObject(node['additionalProperties'])

/** The types of a node, at least one. `isGuessed`: it may be of more than we can say. */
export function toTypes(node: JsonObject): {
  readonly types: readonly TypeName[]
  readonly isNullable: boolean
  readonly isGuessed: boolean
} {
  const given = Array.isArray(node['type']) ? node['type'] : [node['type']]
  const types = [...new Set(given.filter(isName))]
  const isNullable =
    given.includes('null') || node['nullable'] === true || valuesOf(node)?.includes(null) === true
  if (types.length > 0) return { types, isNullable, isGuessed: false }
  const implied = impliedType(node)
  return { types: [implied ?? 'string'], isNullable, isGuessed: implied === undefined }
}

function impliedType(node: JsonObject): TypeName | undefined {
  if (isObject(node['properties'])) return 'object'
  if (node['items'] !== undefined) return 'array'
  const values = valuesOf(node)?.filter((value) => value !== null) ?? []
  if (values.length === 0) return undefined
  if (values.every((value) => typeof value === 'string')) return 'string'
  if (values.every((value) => Number.isInteger(value))) return 'integer'
  if (values.every((value) => typeof value === 'number')) return 'number'
  if (values.every((value) => typeof value === 'boolean')) return 'boolean'
  return undefined
}

/** What the value may be, where the schema lists it. */
function valuesOf(node: JsonObject): readonly unknown[] | undefined {
  if (Object.hasOwn(node, 'const')) return [node['const']]
  return Array.isArray(node['enum']) ? node['enum'] : undefined
}

interface Typed {
  readonly schema: JsonObject
  readonly isChanged: boolean
}

/** A node as a schema of that one type, without the words about it. */
export function writeTyped(
  node: JsonObject,
  type: TypeName,
  writeChild: (child: unknown) => JsonObject,
): Typed {
  const format = FORMATS[type].includes(node['format']) ? { format: node['format'] } : {}
  const limits = LIMITS[type]
    .filter((key) => Number.isFinite(node[key]))
    .map((key) => [key, node[key]] as const)
  const common: JsonObject = { type, ...format, ...Object.fromEntries(limits) }
  switch (type) {
    case 'string': {
      const pattern = toText(node['pattern'])
      const own = { ...common, ...(pattern === undefined ? {} : { pattern }) }
      return withValues(node, own)
    }
    case 'number':
    case 'integer':
      return withValues(node, { ...common, ...toInclusive(node, type) }, isExclusive(node, type))
    case 'boolean':
      return withValues(node, common)
    case 'array':
      return {
        // Without `items` an array is refused.
        schema: { ...common, items: writeChild(node['items']) },
        isChanged: false,
      }
    case 'object':
      return { schema: { ...common, ...writeProperties(node, writeChild) }, isChanged: false }
  }
}

/** Only strings can be listed. Other values are told in words, since a model can still keep to them. */
function withValues(node: JsonObject, own: JsonObject, isChanged = false): Typed {
  const all = valuesOf(node)
  if (all === undefined) return { schema: own, isChanged }
  const values = all.includes(null) ? all.filter((value) => value !== null) : all
  if (own['type'] === 'string' && values.every((value) => typeof value === 'string'))
    return { schema: values.length === 0 ? own : { ...own, enum: values }, isChanged }
  const words = `One of: ${values.map(toWord).join(', ')}`
  const before = toText(node['description'])
  const description = before === undefined ? words : `${before}\n${words}`
  return { schema: { ...own, description }, isChanged: true }
}

function toWord(value: unknown): string {
  return typeof value === 'object' ? 'an object or a list' : (JSON.stringify(value) ?? '')
}

/** A limit that is not reached, as one that is. Of whole numbers that is the next one, of others nearly. */
function toInclusive(node: JsonObject, type: 'number' | 'integer'): JsonObject {
  const { exclusiveMinimum: above, exclusiveMaximum: below } = node
  const step = type === 'integer' ? 1 : 0
  return {
    ...(typeof above === 'number'
      ? { minimum: type === 'integer' ? Math.floor(above) + step : above }
      : {}),
    ...(typeof below === 'number'
      ? { maximum: type === 'integer' ? Math.ceil(below) - step : below }
      : {}),
  }
}

const isExclusive = (node: JsonObject, type: 'number' | 'integer'): boolean =>
  type === 'number' &&
  (typeof node['exclusiveMinimum'] === 'number' || typeof node['exclusiveMaximum'] === 'number')

function writeProperties(node: JsonObject, writeChild: (child: unknown) => JsonObject): JsonObject {
  const { properties } = node
  if (!isObject(properties)) return {}
  const required = [...new Set(toList(node['required']))].filter(
    (name) => typeof name === 'string' && Object.hasOwn(properties, name),
  )
  return {
    // `fromEntries` also keeps a property that is called `__proto__`.
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, child]) => [name, writeChild(child)]),
    ),
    ...(required.length > 0 ? { required } : {}),
  }
}
