/**
 * A tool's JSON Schema as a target takes it. Every API takes a part of JSON Schema, each another one, and
 * refuses the whole request for one tool. Neighbours: each wire's request writer calls it and names the tool;
 * `schema-object.ts` makes one object of alternatives, `schema-gemini.ts` knows the narrowest of them.
 */
import { isObject, type JsonObject } from '../base/json.ts'
import type { Profile } from './profile.ts'
import { toGemini } from './schema-gemini.ts'
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
      return toOneObject(schema)
    case 'gemini': {
      const whole = toOneObject(schema)
      if (!whole.ok) return whole
      const clean = toGemini(whole.schema, schema)
      return clean.ok && whole.isChanged ? { ...clean, isChanged: true } : clean
    }
  }
}

const TOP = ['type', 'anyOf', 'oneOf', 'allOf', '$ref'] as const

/** OpenAI refuses an object without `properties`, and a top level without a type. */
function toFull(schema: JsonObject): JsonObject {
  const typed: JsonObject = TOP.some((key) => schema[key] !== undefined && schema[key] !== null)
    ? schema
    : { ...schema, type: 'object' }
  if (typed['type'] !== 'object' || isObject(typed['properties'])) return typed
  return { ...typed, properties: {} }
}
