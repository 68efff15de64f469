/**
 * The arguments of a call ↔ values that CEL can look at. Neighbours: `views.ts` shows them, `rewrite.ts` and
 * `redact.ts` write them. Knows no tool.
 */
import { isObject } from '../../base/json.ts'

export type Arguments = Readonly<Record<string, unknown>> | ReadonlyMap<string, unknown>

/** CEL asks an object's `constructor` for its type, so a key of that name would hide all the others from every rule. */
const TELLTALE = 'constructor'

/** The same arguments, with a `Map` wherever an object has a key that would mislead CEL. */
export function tidyArguments(args: Readonly<Record<string, unknown>>): Arguments {
  return (hasTelltale(args) ? toMaps(args) : args) as Arguments
}

function hasTelltale(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.some(hasTelltale)
  if (Object.hasOwn(value, TELLTALE)) return true
  for (const key in value) if (hasTelltale((value as Record<string, unknown>)[key])) return true
  return false
}

function toMaps(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toMaps)
  if (!isObject(value)) return value
  return new Map(Object.entries(value).map(([key, inner]) => [key, toMaps(inner)]))
}

/** A value of CEL's as JSON has it; `undefined` where JSON has none such. */
export function toJson(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value)
  if (value === null || ['string', 'number', 'boolean'].includes(typeof value)) return value
  if (Array.isArray(value)) return allOrNothing(value.map(toJson))
  const entries = value instanceof Map ? [...value] : isPlain(value) ? Object.entries(value) : []
  if (!(value instanceof Map) && !isPlain(value)) return undefined
  const values = allOrNothing(entries.map(([, inner]) => toJson(inner)))
  if (values === undefined) return undefined
  return Object.fromEntries(entries.map(([key], at) => [String(key), values[at]]))
}

const allOrNothing = (values: readonly unknown[]): readonly unknown[] | undefined =>
  values.includes(undefined) ? undefined : values

const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> =>
  isObject(value) &&
  (Object.getPrototypeOf(value) === Object.prototype || Object.getPrototypeOf(value) === null)
