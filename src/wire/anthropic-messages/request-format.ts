/**
 * The form of the answer: enforced where the vendor can, else asked for in words. Neighbours:
 * `request-write.ts` asks, `format-schema.ts` knows what is enforced.
 */
import { toText, type JsonObject } from '../../base/json.ts'
import { toFormatSchema } from './format-schema.ts'
import type { Draft } from './request-draft.ts'

export interface WrittenFormat {
  readonly format: JsonObject | undefined
  /** What the system prompt says about it. */
  readonly instruction: string | undefined
}

const JSON_ONLY = 'Answer with one JSON object and nothing else: no words around it, no code fence.'

export function writeFormat({
  request,
  profile,
  losses,
  problems,
  spelling,
}: Draft): WrittenFormat {
  const { format } = request
  if (format === undefined) return { format: undefined, instruction: undefined }
  if (format.type === 'json-object') {
    losses.add('approximated', spelling.format)
    return { format: undefined, instruction: JSON_ONLY }
  }
  const enforced = toFormatSchema(format.schema)
  if (!enforced.ok) {
    problems.refuse(spelling.format, `Change the schema: it ${enforced.message}`)
    return { format: undefined, instruction: undefined }
  }
  const description = toText(enforced.schema['description']) ?? format.description
  const schema = { ...enforced.schema, ...(description === undefined ? {} : { description }) }
  if (!profile.takesJsonSchema) {
    losses.add('approximated', spelling.format)
    const instruction = `${JSON_ONLY} It must match this JSON Schema:\n${JSON.stringify(schema)}`
    return { format: undefined, instruction }
  }
  if (enforced.isLoose) losses.add('approximated', spelling.format)
  return { format: { type: 'json_schema', schema }, instruction: undefined }
}
