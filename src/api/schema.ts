/**
 * JSON Schemas whose fields the compiler holds to those of a type: a field that is missing, too many, or may be absent
 * without saying so does not compile. Neighbours: `schemas.ts` writes them, `openapi.ts` puts them together. Knows no
 * path.
 */
export type JsonSchema = Readonly<Record<string, unknown>>

/** A field that may be absent. */
interface Maybe {
  readonly maybe: JsonSchema
}

type Fields<T> = {
  readonly [Name in keyof T]-?: undefined extends T[Name] ? Maybe : JsonSchema
}

export const maybe = (schema: JsonSchema): Maybe => ({ maybe: schema })

/** An object with these fields and no others. */
export function object<T>(fields: Fields<T>): JsonSchema {
  const all = Object.entries<JsonSchema | Maybe>(fields)
  const required = all.filter(([, field]) => !isMaybe(field)).map(([name]) => name)
  return {
    type: 'object',
    properties: Object.fromEntries(
      all.map(([name, field]) => [name, isMaybe(field) ? field.maybe : field]),
    ),
    ...(required.length === 0 ? undefined : { required }),
    additionalProperties: false,
  }
}

const isMaybe = (field: JsonSchema | Maybe): field is Maybe => 'maybe' in field

export const text: JsonSchema = { type: 'string' }
export const number: JsonSchema = { type: 'number' }
export const whole: JsonSchema = { type: 'integer' }
export const flag: JsonSchema = { type: 'boolean' }
export const anything: JsonSchema = {}
export const time: JsonSchema = { type: 'integer', description: 'Milliseconds since 1970' }
export const counts: JsonSchema = { type: 'object', additionalProperties: { type: 'integer' } }

export const list = (items: JsonSchema): JsonSchema => ({ type: 'array', items })
export const map = (values: JsonSchema): JsonSchema => ({
  type: 'object',
  additionalProperties: values,
})
export const oneOf = (values: readonly string[]): JsonSchema => ({ type: 'string', enum: values })
export const anyOf = (...schemas: readonly JsonSchema[]): JsonSchema => ({ anyOf: schemas })
/** One of those that have a name. */
export const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` })
export const says = (description: string, schema: JsonSchema): JsonSchema => ({
  ...schema,
  description,
})
