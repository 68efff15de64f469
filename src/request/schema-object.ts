/**
 * A schema whose top level offers alternatives → one object that holds them all. Anthropic refuses `anyOf`,
 * `oneOf` and `allOf` at the top of a tool's schema, and Gemini wants an object there. Neighbours:
 * `schema.ts`. What lies below the top level is left as it is.
 */
import { isObject, toList, type JsonObject } from '../base/json.ts'
import type { CleanSchema } from './schema.ts'
import { resolveRef } from './schema-ref.ts'

const COMBINERS = ['anyOf', 'oneOf', 'allOf'] as const
const NO_OBJECT =
  'its schema allows no object, and the arguments of a call are one: make its top level an object'

/**
 * The schema with a plain object on top. The arguments of a call are an object, so nothing else counts there.
 * `root`: where its references lead.
 */
export function toOneObject(schema: JsonObject, root = schema): CleanSchema {
  const hasAlternatives = COMBINERS.some((key) => schema[key] !== undefined)
  if (!hasAlternatives && schema['$ref'] === undefined) {
    if (schema['type'] === 'object') return { ok: true, schema, isChanged: false }
    if (!mayBeObject(schema['type'])) return { ok: false, message: NO_OBJECT }
    return { ok: true, schema: { ...schema, type: 'object' }, isChanged: false }
  }
  const flat = createFlattener(root)(schema, 0)
  if (flat === undefined) return { ok: false, message: NO_OBJECT }
  const { anyOf: _any, oneOf: _one, allOf: _all, $ref: _ref, required: _required, ...rest } = schema
  const isClosed = flat.isClosed && rest['additionalProperties'] === undefined
  return {
    ok: true,
    schema: {
      ...rest,
      type: 'object',
      properties: Object.fromEntries(flat.properties),
      ...(flat.required.size > 0 ? { required: [...flat.required] } : {}),
      ...(isClosed ? { additionalProperties: false } : {}),
    },
    isChanged: hasAlternatives,
  }
}

/** What an object may and must have. */
interface Flat {
  readonly properties: ReadonlyMap<string, unknown>
  readonly required: ReadonlySet<string>
  /** Whether it has no others. */
  readonly isClosed: boolean
}

const ANYTHING: Flat = { properties: new Map(), required: new Set(), isClosed: false }
/** Alternatives inside alternatives, and references to references. */
const MAX_DEPTH = 16
/** References may lead to the same place many times over: 2^16 places fit into a kilobyte. Properties count. */
const MAX_NODES = 10_000

function createFlattener(root: JsonObject): (node: unknown, depth: number) => Flat | undefined {
  let nodes = 0

  /** `undefined` where it can be no object. */
  function flatten(node: unknown, depth: number): Flat | undefined {
    if (node === false) return undefined
    if (!isObject(node) || depth > MAX_DEPTH || nodes > MAX_NODES) return ANYTHING
    if (!mayBeObject(node['type'])) return undefined
    const own = ownOf(node)
    nodes += 1 + own.properties.size
    const all: Flat[] = [own]
    const parts = [...toList(node['allOf'])]
    if (typeof node['$ref'] === 'string') parts.push(resolveRef(root, node['$ref']))
    for (const part of parts) {
      const flat = flatten(part, depth + 1)
      if (flat === undefined) return undefined
      all.push(flat)
    }
    for (const key of ['anyOf', 'oneOf'] as const) {
      const options = toList(node[key])
      if (options.length === 0) continue
      const flats = options
        .map((option) => flatten(option, depth + 1))
        .filter((flat) => flat !== undefined)
      if (flats.length === 0) return undefined
      all.push(combine(flats, 'anyOf'))
    }
    return combine(all, 'allOf')
  }
  return flatten
}

function mayBeObject(type: unknown): boolean {
  if (Array.isArray(type)) return type.includes('object')
  return typeof type !== 'string' || type === 'object'
}

function ownOf(node: JsonObject): Flat {
  const { properties, required } = node
  const names = toList(required).filter((name) => typeof name === 'string')
  return {
    properties: new Map(isObject(properties) ? Object.entries(properties) : []),
    required: new Set(names),
    isClosed: node['additionalProperties'] === false,
  }
}

/** `anyOf`: only what all of them ask for is required. `allOf`: what any of them asks for. */
function combine(flats: readonly Flat[], how: 'anyOf' | 'allOf'): Flat {
  const [first, ...others] = flats
  if (first === undefined) return ANYTHING
  if (others.length === 0) return first
  const schemas = new Map<string, unknown[]>()
  const counts = new Map<string, number>()
  for (const flat of flats) {
    for (const [name, schema] of flat.properties) {
      const known = schemas.get(name)
      if (known === undefined) schemas.set(name, [schema])
      else known.push(schema)
    }
    for (const name of flat.required) counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  const needed = how === 'anyOf' ? flats.length : 1
  return {
    properties: new Map([...schemas].map(([name, list]) => [name, merge(list, how)])),
    required: new Set([...counts].filter(([, count]) => count >= needed).map(([name]) => name)),
    isClosed:
      flats.some(({ isClosed }) => isClosed) &&
      flats.every((flat) => flat.isClosed || (how === 'allOf' && flat.properties.size === 0)),
  }
}

function merge(schemas: readonly unknown[], how: 'anyOf' | 'allOf'): unknown {
  // Most are the same object, where references lead to one place: those need not be written to be compared.
  const objects = [...new Set(schemas)]
  if (objects.length === 1) return objects[0]
  const distinct = new Map(objects.map((schema) => [toKey(schema), schema]))
  const [first, ...others] = distinct.values()
  return others.length === 0 ? first : { [how]: [...distinct.values()] }
}

/** A text that is the same for the same schema. What is nested too deep to be written is only itself. */
function toKey(schema: unknown): unknown {
  try {
    return JSON.stringify(schema)
  } catch {
    return schema
  }
}
