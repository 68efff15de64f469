/**
 * The form of the answer as a Chat server takes it. Neighbours: `request-write.ts`. Servers that know no
 * schemas are told in words, which no longer makes them keep to it.
 */
import type { JsonObject } from '../../base/json.ts'
import type { OutputFormat } from '../../request/request.ts'
import { isStrictSchema } from '../../request/schema-strict.ts'
import { toSchema } from '../../request/schema.ts'
import { toJson, withoutUndefined } from './request-fields.ts'
import type { Writing } from './request-writing.ts'

export interface WrittenFormat {
  readonly fields: JsonObject
  /** What the model is to be told. */
  readonly instruction?: string
}

export function writeFormat(writing: Writing): WrittenFormat {
  const { request, profile, losses, problems, spelling } = writing
  const { format } = request
  if (format === undefined) return { fields: {} }
  if (format.type === 'json-object') return { fields: { response_format: { type: 'json_object' } } }
  if (profile.takesJsonSchema) return { fields: { response_format: toJsonSchema(format, writing) } }
  losses.add('approximated', spelling.format)
  const schema = toJson(format.schema)
  if (schema === undefined)
    problems.add(spelling.format, 'Send a schema that is not nested as deep', 'unsupported')
  // `json_object` is refused where no message has the word JSON in it.
  return {
    fields: { response_format: { type: 'json_object' } },
    instruction: `${AS_JSON}\n${schema ?? ''}`,
  }
}

const AS_JSON =
  'Answer with one JSON value and nothing else. It must be valid against this JSON Schema:'

type SchemaFormat = Extract<OutputFormat, { type: 'json-schema' }>

function toJsonSchema(format: SchemaFormat, writing: Writing): JsonObject {
  const { request, profile, losses, problems, spelling } = writing
  const clean = toSchema(format.schema, profile.schema)
  if (!clean.ok) problems.add(spelling.format, clean.message, 'unsupported')
  const schema = clean.ok ? clean.schema : {}
  // Anthropic enforces every schema that it takes, without a word for it.
  const wanted =
    format.isStrict ?? (request.source.wire === 'anthropic-messages' ? true : undefined)
  const isStrict = wanted === true ? isStrictSchema(schema) : wanted
  if (isStrict !== wanted || (clean.ok && clean.isChanged))
    losses.add('approximated', spelling.format)
  return {
    type: 'json_schema',
    json_schema: withoutUndefined({
      name: toName(format.name),
      description: format.description,
      schema,
      strict: isStrict,
    }),
  }
}

const toName = (name: string | undefined): string =>
  (name ?? '').replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'response'
