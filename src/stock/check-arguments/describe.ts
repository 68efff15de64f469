/**
 * What a schema takes, in a few words: `string`, `array of integer`, `one of "a", "b"`. Neighbours: `validate.ts` and
 * `check.ts` say them to a model. Looks only a little way into a schema, however large it is.
 */
import { isObject, toList, toObject, type JsonObject } from '../../base/json.ts'
import { quoteName } from './problem.ts'
import { resolveLocal } from './walk.ts'

const MAX_WORDS = 8
const MAX_DEPTH = 4

export function describe(schema: unknown, root: JsonObject, depth = 0): string {
  if (!isObject(schema) || depth > MAX_DEPTH) return 'any value'
  const { $ref: ref, const: constant, enum: values, type } = schema
  if (typeof ref === 'string') return describe(resolveLocal(ref, root), root, depth + 1)
  if (constant !== undefined) return showValue(constant)
  if (Array.isArray(values)) return `one of ${listed(values.map(showValue))}`
  const branches = [...toList(schema['anyOf']), ...toList(schema['oneOf'])]
  if (branches.length > 0)
    return [
      ...new Set(branches.slice(0, MAX_WORDS).map((one) => describe(one, root, depth + 1))),
    ].join(' or ')
  const types = toTypes(type)
  if (types.length === 0) return isObject(schema['properties']) ? 'object' : 'any value'
  return types
    .map((name) =>
      name === 'array' && isObject(schema['items'])
        ? `array of ${describe(schema['items'], root, depth + 1)}`
        : name,
    )
    .join(' or ')
}

const TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']

/** The types that a schema names. Some write them in capitals; words that are no type say nothing. */
export function toTypes(type: unknown): readonly string[] {
  if (typeof type === 'string') return TYPES.filter((one) => one === type.toLowerCase())
  return toList(type).flatMap((one) => (typeof one === 'string' ? toTypes(one) : []))
}

/** `a, b and 3 more` */
function listed(words: readonly string[], max = MAX_WORDS): string {
  const more = words.length - max
  return more > 0 ? `${words.slice(0, max).join(', ')} and ${more} more` : words.join(', ')
}

/** A value of a schema. Those of a call are never shown. */
function showValue(value: unknown): string {
  if (typeof value === 'string') return quoteName(value)
  if (typeof value === 'object' && value !== null)
    return Array.isArray(value) ? 'a certain array' : 'a certain object'
  return String(value)
}

const MAX_PROPERTIES = 16

/** The properties of a tool with their types, for a model that tries again. `undefined`: there is nothing to say. */
export function describeProperties(schema: JsonObject): string | undefined {
  const properties = toObject(schema['properties'])
  if (properties === undefined) return undefined
  const required = new Set(toList(schema['required']))
  const names = Object.keys(properties)
  if (names.length === 0) return 'no properties'
  const words = names
    // Those that must be there come first: a long list is cut.
    .toSorted((a, b) => Number(required.has(b)) - Number(required.has(a)))
    .slice(0, MAX_PROPERTIES)
    .map((name) => {
      const type = describe(properties[name], schema).slice(0, 100)
      return `${name.slice(0, 60)} (${type}${required.has(name) ? '' : ', optional'})`
    })
  const more = names.length - words.length
  return more > 0 ? `${words.join(', ')} and ${more} more` : words.join(', ')
}
