/**
 * A tool's JSON Schema as a target takes it. Every API takes a part of JSON Schema, each another one, and
 * refuses the whole request for one tool. Neighbours: each wire's request writer calls it and names the tool;
 * `schema-object.ts` makes one object of alternatives, `schema-lists.ts` says what lists hold,
 * `schema-gemini.ts` knows the narrowest of them.
 */
import { isObject, toObject, type JsonObject } from '../base/json.ts'
import type { Profile } from './profile.ts'
import { toGemini } from './schema-gemini.ts'
import { withItems } from './schema-lists.ts'
import { toOneObject } from './schema-object.ts'

export type CleanSchema =
  /** `isChanged`: it allows more or less than the client's did. What only reads differently does not count. */
  | { readonly ok: true; readonly schema: JsonObject; readonly isChanged: boolean }
  /** Why no schema of the target says this; the caller names the tool. */
  | { readonly ok: false; readonly message: string }

/** `undefined` becomes an object without properties. Never throws, whatever stands in it. */
export function toSchema(schema: JsonObject | undefined, kind: Profile['schema']): CleanSchema {
  if (schema === undefined)
    return { ok: true, schema: { type: 'object', properties: {} }, isChanged: false }
  switch (kind) {
    case 'full':
      return { ok: true, schema: toFull(schema), isChanged: false }
    case 'anthropic':
      return toAnthropic(schema)
    case 'gemini': {
      const whole = toOneObject(schema)
      if (!whole.ok) return whole
      const clean = toGemini(whole.schema, schema)
      return clean.ok && whole.isChanged ? { ...clean, isChanged: true } : clean
    }
  }
}

const TOP = ['type', 'anyOf', 'oneOf', 'allOf', '$ref'] as const

/** What Anthropic takes as the name of a property, at the top level. */
const PROPERTY = /^[a-zA-Z0-9_.-]{1,64}$/

/**
 * Another name could be given and taken back in the answer; but the arguments come in pieces, and every key in
 * them would have to be found before it may leave. Such names are rare, and whoever has one is told.
 */
function toAnthropic(schema: JsonObject): CleanSchema {
  const whole = toOneObject(schema)
  if (!whole.ok) return whole
  const name = Object.keys(toObject(whole.schema['properties']) ?? {}).find(
    (key) => !PROPERTY.test(key),
  )
  if (name === undefined) return whole
  const shown = JSON.stringify(name.slice(0, 100))
  const message = `its property ${shown} is called as none may be here: use 1 to 64 letters, digits, "_", "-" and "."`
  return { ok: false, message }
}

/** OpenAI refuses an object without `properties`, a list without `items`, and a top level without a type. */
function toFull(schema: JsonObject): JsonObject {
  const typed: JsonObject = TOP.some((key) => schema[key] !== undefined && schema[key] !== null)
    ? schema
    : { ...schema, type: 'object' }
  const whole = withItems(typed)
  if (whole['type'] !== 'object' || isObject(whole['properties'])) return whole
  return { ...whole, properties: {} }
}
