/**
 * A JSON schema to a value that satisfies it: the arguments of a scripted call, or a structured answer.
 * Neighbours: `tool-arguments.ts` says what known names mean, `scripts.ts` answers in a client's format.
 * Knows the part of JSON Schema that clients use; a schema it cannot satisfy gives some value, never a throw.
 */
import { isObject, toCount, toList, toObject, toText, type JsonObject } from '../../base/json.ts'

/** The text for a property of that name, or `undefined` for one that means nothing, or that may be left out. */
export type NameHint = (name: string, isRequired: boolean) => string | undefined

/** A schema may refer to itself, and its parts may multiply: both have an end. */
const MAX_DEPTH = 8
const MAX_VALUES = 500
const MAX_LENGTH = 1000
const MAX_ITEMS = 20

interface Filling {
  readonly root: JsonObject
  readonly hint: NameHint
  /** For a text whose name says nothing. */
  readonly fallback: string
  valuesLeft: number
}

export function fillSchema(schema: unknown, hint: NameHint, fallback: string): unknown {
  const filling = { root: toObject(schema) ?? {}, hint, fallback, valuesLeft: MAX_VALUES }
  return fill(schema, '', 0, filling)
}

function fill(schema: unknown, name: string, depth: number, filling: Filling): unknown {
  filling.valuesLeft -= 1
  const plain = resolve(toObject(schema) ?? {}, filling.root)
  if ('const' in plain) return copy(plain['const'], depth)
  const options = toList(plain['enum'])
  if (options.length > 0) return copy(options[0], depth)
  const type = typeOf(plain)
  const isTooMuch = depth >= MAX_DEPTH || filling.valuesLeft <= 0
  switch (type) {
    case 'object':
      return isTooMuch ? {} : fillObject(plain, depth, filling)
    case 'array':
      return isTooMuch ? [] : fillArray(plain, name, depth, filling)
    case 'integer':
    case 'number':
      return fillNumber(plain, type === 'integer')
    case 'boolean':
      return false
    case 'null':
      return null
    default:
      return fillText(plain, name, filling)
  }
}

/** A value of the client's own, no deeper than it can be written. */
function copy(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (depth >= MAX_DEPTH) return null
  if (Array.isArray(value)) return toList(value).map((item) => copy(item, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [key, copy(part, depth + 1)]),
  )
}

/** Follows references and takes the first of several alternatives. */
function resolve(schema: JsonObject, root: JsonObject): JsonObject {
  let plain = schema
  for (let step = 0; step < MAX_DEPTH; step++) {
    const target = toText(plain['$ref'])
    const all = toList(plain['allOf']).slice(0, MAX_ITEMS).filter(isObject)
    const choice = [...toList(plain['anyOf']), ...toList(plain['oneOf'])].filter(isObject)
    const { $ref: _ref, allOf: _all, anyOf: _any, oneOf: _one, ...own } = plain
    if (target !== undefined) plain = { ...lookUp(target, root), ...own }
    else if (all.length > 0) plain = all.reduce<JsonObject>(merge, own)
    else if (choice.length > 0) plain = merge(own, choice.find(isSomething) ?? {})
    else return plain
  }
  return plain
}

const isSomething = (schema: JsonObject): boolean => schema['type'] !== 'null'

const merge = (a: JsonObject, b: JsonObject): JsonObject => ({
  ...a,
  ...b,
  properties: { ...toObject(a['properties']), ...toObject(b['properties']) },
  required: [...toList(a['required']), ...toList(b['required'])],
})

function lookUp(target: string, root: JsonObject): JsonObject {
  let at: unknown = root
  for (const step of target.replace(/^#\/?/, '').split('/')) {
    if (step === '') continue
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
    at = isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined
  }
  return toObject(at) ?? {}
}

/** The first type that is something; a text where nothing is said. */
function typeOf(schema: JsonObject): string {
  const { type } = schema
  const named = Array.isArray(type) ? toList(type).find((one) => one !== 'null') : type
  if (typeof named === 'string') return named
  if (Object.keys(toObject(schema['properties']) ?? {}).length > 0) return 'object'
  return 'items' in schema || 'prefixItems' in schema ? 'array' : 'string'
}

/** What is required, and of the rest what the hint wants to say. */
function fillObject(schema: JsonObject, depth: number, filling: Filling): JsonObject {
  const properties = toObject(schema['properties']) ?? {}
  const required = new Set(toList(schema['required']).filter((key) => typeof key === 'string'))
  const known = Object.keys(properties).filter((key) => isText(properties[key], filling.root))
  const optional = known.filter(
    (key) => !required.has(key) && filling.hint(key, false) !== undefined,
  )
  const entries: [string, unknown][] = []
  for (const key of [...required, ...optional]) {
    if (filling.valuesLeft <= 0) break
    const own = Object.hasOwn(properties, key) ? properties[key] : undefined
    entries.push([key, fill(own, key, depth + 1, filling)])
  }
  return Object.fromEntries(entries)
}

const isText = (schema: unknown, root: JsonObject): boolean =>
  typeOf(resolve(toObject(schema) ?? {}, root)) === 'string'

function fillArray(
  schema: JsonObject,
  name: string,
  depth: number,
  filling: Filling,
): readonly unknown[] {
  const tuple = toList(schema['prefixItems']).slice(0, MAX_ITEMS)
  if (tuple.length > 0) return tuple.map((part) => fill(part, name, depth + 1, filling))
  const least = Math.max(1, toCount(schema['minItems']) ?? 1)
  const count = Math.min(least, toCount(schema['maxItems']) ?? least, MAX_ITEMS)
  return Array.from({ length: count }, (_, place) => {
    const item = fill(schema['items'], name, depth + 1, filling)
    if (schema['uniqueItems'] !== true || place === 0) return item
    return typeof item === 'number' ? item + place : typeof item === 'string' ? item + place : item
  })
}

function fillNumber(schema: JsonObject, isInteger: boolean): number {
  const bound = (key: string): number | undefined => {
    const value = schema[key]
    return typeof value === 'number' && Number.isFinite(value) ? value : undefined
  }
  const above = bound('exclusiveMinimum')
  const below = bound('exclusiveMaximum')
  const least = Math.max(bound('minimum') ?? -Infinity, above ?? -Infinity)
  const most = Math.min(bound('maximum') ?? Infinity, below ?? Infinity)
  const factor = bound('multipleOf')
  const step = factor !== undefined && factor > 0 ? factor : isInteger ? 1 : 0
  const isInside = (value: number): boolean =>
    value >= least && value <= most && value !== above && value !== below
  const onStep = (value: number): number => (step === 0 ? value : Math.ceil(value / step) * step)
  const candidates = [
    1,
    0,
    least,
    least + (step || 1),
    most,
    most - (step || 1),
    (least + most) / 2,
  ]
  const finite = candidates.filter(Number.isFinite)
  return finite.map(onStep).find(isInside) ?? finite.find(isInside) ?? 1
}

const FORMATS: Readonly<Record<string, string>> = {
  'date-time': '2026-01-01T12:00:00Z',
  date: '2026-01-01',
  time: '12:00:00Z',
  duration: 'PT1S',
  email: 'demo@example.com',
  hostname: 'localhost',
  ipv4: '127.0.0.1',
  ipv6: '::1',
  uuid: '00000000-0000-4000-8000-000000000000',
  uri: 'http://127.0.0.1/',
  url: 'http://127.0.0.1/',
}

function fillText(schema: JsonObject, name: string, filling: Filling): string {
  const format = toText(schema['format'])
  const known = format !== undefined && Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined
  const text = known ?? filling.hint(name, true) ?? filling.fallback
  const pattern = toText(schema['pattern'])
  if (pattern !== undefined) return matching(pattern, text)
  const most = toCount(schema['maxLength']) ?? MAX_LENGTH
  const least = Math.min(toCount(schema['minLength']) ?? 0, most, MAX_LENGTH)
  return Array.from(text.padEnd(least, '.')).slice(0, Math.max(most, least)).join('')
}

/** Short ones only: a hostile pattern then has little to try. */
const CANDIDATES = [
  'demo',
  'a',
  'A',
  '1',
  '12345',
  'DEMO',
  '1.0.0',
  '#ffffff',
  '2026-01-01',
  '/tmp',
  'a-1',
]

function matching(pattern: string, text: string): string {
  try {
    const regex = new RegExp(pattern, 'u')
    const fitting = [text.slice(0, 24), ...CANDIDATES].find((one) => regex.test(one))
    return fitting === text.slice(0, 24) ? text : (fitting ?? text)
  } catch {
    // No pattern that this engine knows: the client's own check is not ours to guess.
    return text
  }
}
