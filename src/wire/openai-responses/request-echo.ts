/**
 * What an answer repeats of its request, and whether it tells what the model thought. Every response object has the parameters that it was made with,
 * and typed clients read them. Neighbours: `response.ts` has what stands there when nothing was asked;
 * `encode.ts` lays this over it for answers of another wire. Only values of the right kind are repeated:
 * a client must not be able to break its own SDK.
 */
import { isObject, toObject, type JsonObject } from '../../base/json.ts'
import type { EncoderOptions } from '../wire.ts'

type Check = (value: unknown) => boolean

const isText: Check = (value) => typeof value === 'string'
const isNumber: Check = (value) => typeof value === 'number'

const REPEATED: readonly (readonly [string, Check])[] = [
  ['instructions', isText],
  ['max_output_tokens', isNumber],
  ['max_tool_calls', isNumber],
  ['parallel_tool_calls', (value) => typeof value === 'boolean'],
  ['previous_response_id', isText],
  ['prompt_cache_key', isText],
  ['safety_identifier', isText],
  ['temperature', isNumber],
  ['tool_choice', (value) => isText(value) || isObject(value)],
  ['tools', (value) => Array.isArray(value) && value.every((tool) => isObject(tool))],
  ['top_logprobs', isNumber],
  ['top_p', isNumber],
  ['truncation', isText],
  ['user', isText],
  ['metadata', isObject],
]

export function toEncoderOptions(body: JsonObject): EncoderOptions {
  const echo: Record<string, unknown> = {}
  for (const [field, check] of REPEATED) if (check(body[field])) echo[field] = body[field]
  const { reasoning, text } = body
  if (isObject(reasoning)) echo['reasoning'] = { effort: null, summary: null, ...reasoning }
  if (isObject(text))
    echo['text'] = {
      ...text,
      format: isObject(text['format']) ? text['format'] : { type: 'text' },
    }
  // What the session store does: on this wire an answer is kept unless the client says otherwise.
  echo['store'] = body['store'] !== false
  const asked = toObject(reasoning)
  return { echo, showsThinking: (asked?.['summary'] ?? asked?.['generate_summary']) != null }
}
