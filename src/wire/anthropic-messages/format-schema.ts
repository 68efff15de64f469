/**
 * A JSON Schema to the part of JSON Schema that the vendor enforces, for answers and for strict tools. What it
 * cannot enforce is told to the model in the description, as the vendor's own helper does. Neighbours:
 * `request-format.ts`, `request-tools-write.ts`. Knows no request.
 */
import { isObject, toList, toObject, toText, type JsonObject } from '../../base/json.ts'

export type FormatSchema =
  /** `isLoose`: something is only said now, and not enforced. */
  | { readonly ok: true; readonly schema: JsonObject; readonly isLoose: boolean }
  | { readonly ok: false; readonly message: string }

const MAX_DEPTH = 64
const FORMATS: ReadonlySet<unknown> = new Set([
  'date-time',
  'time',
  'date',
  'duration',
  'email',
  'hostname',
  'uri',
  'ipv4',
  'ipv6',
  'uuid',
])
const KEPT = new Set(['$ref', 'type', 'enum', 'const', 'title', 'description', 'required'])
const SCHEMA_MAPS = new Set(['properties', '$defs', 'definitions'])
/** Says which JSON Schema it is: nothing that a model must know. */
const QUIET = new Set(['$schema', '$id', '$comment'])

export function toFormatSchema(schema: JsonObject): FormatSchema {
  let isLoose = false
  let isTooDeep = false

  function toEnforced(node: unknown, depth: number): JsonObject {
    if (depth > MAX_DEPTH) isTooDeep = true
    if (!isObject(node) || isTooDeep) return {}
    const out: Record<string, unknown> = {}
    const said: Record<string, unknown> = {}
    for (const [key, value] of Object.entries(node)) {
      if (value === undefined || value === null || QUIET.has(key)) continue
      if (KEPT.has(key)) out[key] = value
      else if (SCHEMA_MAPS.has(key)) out[key] = mapValues(value, depth)
      else if (key === 'anyOf' || key === 'allOf' || key === 'oneOf')
        // One of them is meant in both: that exactly one matches cannot be enforced.
        out[key === 'oneOf' ? 'anyOf' : key] = toList(value).map((one) =>
          toEnforced(one, depth + 1),
        )
      else if (key === 'items' && isObject(value)) out[key] = toEnforced(value, depth + 1)
      else if (key === 'format' && FORMATS.has(value)) out[key] = value
      else if (key === 'minItems' && (value === 0 || value === 1)) out[key] = value
      else if (key !== 'additionalProperties') said[key] = value
      else if (value !== false) isLoose = true
    }
    if (isObjectType(out)) {
      if (out['type'] === undefined) out['type'] = 'object'
      out['properties'] ??= {}
      out['additionalProperties'] = false
    }
    return Object.keys(said).length === 0 ? out : describe(out, said)
  }

  const mapValues = (value: unknown, depth: number): JsonObject =>
    Object.fromEntries(
      Object.entries(toObject(value) ?? {}).map(([name, one]) => [
        name,
        toEnforced(one, depth + 1),
      ]),
    )

  function describe(out: Record<string, unknown>, said: JsonObject): JsonObject {
    isLoose = true
    const words = JSON.stringify(said)
    const before = toText(out['description'])
    return { ...out, description: before === undefined ? words : `${before}\n\n${words}` }
  }

  try {
    const enforced = toEnforced(schema, 0)
    if (!isTooDeep) return { ok: true, schema: enforced, isLoose }
  } catch {
    // What is only said may be nested deeper than the engine writes.
  }
  return { ok: false, message: `nests more than ${MAX_DEPTH} levels deep: make it flatter` }
}

const isObjectType = ({ type, properties }: Record<string, unknown>): boolean =>
  type === 'object' || properties !== undefined || toList(type).includes('object')
