/**
 * The body of a request to about how many tokens a model reads in it, on any of the three wires: what is
 * counted is told by the names of fields, and no two wires give one name two meanings here. Neighbours:
 * `text.ts` weighs the texts, `media.ts` what is no text, `counter.ts` corrects by what upstreams say.
 * Builds no strings and never throws: a field of a wrong type counts as what it is or as nothing.
 */
import { isObject, toList, toObject, toText, type JsonObject } from '../base/json.ts'
import { weighFile, weighImage, weighSealed, weighSound } from './media.ts'
import { weighText } from './text.ts'

/** What stands around a message or an item: its role and its borders. */
const TURN = 4
/** What stands around a call, a result or a tool beside what is counted of it. */
const AROUND: Readonly<Record<string, number>> = {
  tool_use: 12,
  server_tool_use: 12,
  mcp_tool_use: 12,
  function_call: 12,
  custom_tool_call: 12,
  function: 12,
  custom: 12,
  tool_result: 8,
  function_call_output: 8,
  custom_tool_call_output: 8,
}
const TOOL = 8
/** Deeper than any client goes; what is below is not counted, so that no request can exhaust the stack. */
const MAX_DEPTH = 200

/** Names whose values no model reads: bookkeeping of the wire. */
const UNREAD = new Set([
  'type',
  'id',
  'role',
  'status',
  'tool_use_id',
  'tool_call_id',
  'call_id',
  'item_id',
  'cache_control',
  'signature',
  'annotations',
  'citations',
  'logprobs',
  'detail',
  'phase',
  'index',
  'media_type',
  'format',
  'is_error',
  'prompt_cache_breakpoint',
])

/** Names whose values are JSON that the model reads as JSON. */
const AS_JSON = new Set(['input', 'arguments', 'parameters', 'input_schema', 'action', 'operation'])

/** Names whose values only their vendor opens. */
const SEALED = new Set(['encrypted_content', 'data'])

/** About how many tokens of input the request is. */
export function estimateTokens(body: JsonObject): number {
  const output = toObject(body['output_config'])?.['format']
  const tokens =
    TURN +
    weigh(body['system'], 0) +
    weigh(body['instructions'], 0) +
    weighTurns(body['messages']) +
    weighTurns(body['input']) +
    weighTools(body['tools'], 0) +
    weighTools(body['functions'], 0) +
    weighJson(toObject(body['response_format'])?.['json_schema'], 0) +
    weighJson(toObject(toObject(body['text'])?.['format'])?.['schema'], 0) +
    weighJson(toObject(output)?.['schema'], 0)
  return Math.round(tokens)
}

function weighTurns(turns: unknown): number {
  if (typeof turns === 'string') return TURN + weighText(turns)
  let tokens = 0
  for (const turn of toList(turns)) tokens += TURN + weigh(turn, 0)
  return tokens
}

/** A tool that is loaded only when it is looked for is not in the prompt. */
function weighTools(tools: unknown, depth: number): number {
  let tokens = 0
  for (const tool of toList(tools)) {
    if (!isObject(tool) || tool['defer_loading'] === true) continue
    const { cache_control: _mark, tools: inner, ...rest } = tool
    tokens += TOOL + weighJson(rest, 0)
    if (depth < MAX_DEPTH) tokens += weighTools(inner, depth + 1)
  }
  return tokens
}

/** A text, a list of parts, or a part. */
function weigh(value: unknown, depth: number): number {
  if (typeof value === 'string') return weighText(value)
  if (depth > MAX_DEPTH || typeof value !== 'object' || value === null) return 0
  let tokens = 0
  if (Array.isArray(value)) {
    for (const part of value) tokens += weigh(part, depth + 1)
    return tokens
  }
  return isObject(value) ? weighPart(value, depth) : 0
}

function weighPart(part: JsonObject, depth: number): number {
  const type = toText(part['type']) ?? ''
  switch (type) {
    case 'image':
    case 'image_url':
    case 'input_image':
    case 'computer_screenshot':
      return weighImage(part)
    case 'input_audio':
      return weighSound(part)
    case 'document':
    case 'file':
    case 'input_file':
      return weighFile(part, (content) => weigh(content, depth + 1))
    case 'additional_tools':
    case 'tool_search_output':
      return weighTools(part['tools'], depth)
    case 'reasoning':
      // The summary is for people; the model goes on from what is sealed.
      if (toText(part['encrypted_content']) !== undefined)
        return weighSealed(part['encrypted_content'])
  }
  let tokens = Object.hasOwn(AROUND, type) ? (AROUND[type] ?? 0) : 0
  for (const name in part) {
    if (UNREAD.has(name)) continue
    const value = part[name]
    if (SEALED.has(name)) tokens += weighSealed(value)
    else if (AS_JSON.has(name)) tokens += weighJson(value, depth + 1)
    else tokens += weigh(value, depth + 1)
  }
  return tokens
}

/** A value as compact JSON, which is how tools and arguments are told to a model, more or less. */
function weighJson(value: unknown, depth: number): number {
  if (typeof value === 'string') return weighText(value)
  if (typeof value === 'number' || typeof value === 'boolean') return 1
  if (depth > MAX_DEPTH || typeof value !== 'object' || value === null) return 0
  let tokens = 1
  if (Array.isArray(value)) {
    for (const item of value) tokens += 1 + weighJson(item, depth + 1)
    return tokens
  }
  // `":"` and `","` are one token each.
  if (isObject(value))
    for (const name in value) tokens += 2 + weighText(name) + weighJson(value[name], depth + 1)
  return tokens
}
