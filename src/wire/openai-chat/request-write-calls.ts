/**
 * Calls of an assistant message as a Chat server takes them. Neighbours: `request-write-messages.ts`. The
 * arguments are always JSON: servers that parse them answer anything else with a 400 or a 500.
 */
import { jsonShape } from '../../base/json-shape.ts'
import type { JsonObject } from '../../base/json.ts'
import type { ToolCallPart } from '../../request/part.ts'
import { toToolId } from './request-ids.ts'
import type { Writing } from './request-writing.ts'

export const toCalls = (calls: readonly ToolCallPart[], writing: Writing): readonly JsonObject[] =>
  calls.map((call, at) => ({ ...toExtra(call, at, writing), ...toCall(call, writing) }))

function toCall(call: ToolCallPart, writing: Writing): JsonObject {
  const { profile, names } = writing
  const id = toToolId(call.id, profile.toolIds)
  const name = names.toTarget(call)
  if (call.dialect === 'custom' && profile.takesCustomTools)
    return { id, type: 'custom', custom: { name, input: call.arguments } }
  return { id, type: 'function', function: { name, arguments: toArguments(call, writing) } }
}

function toArguments(call: ToolCallPart, { losses }: Writing): string {
  if (call.dialect === 'custom') return JSON.stringify({ input: call.arguments })
  const shape = jsonShape(call.arguments)
  if (shape === 'whole') return call.arguments
  if (shape === 'empty') return '{}'
  losses.add('approximated', `arguments of ${call.name}`)
  return JSON.stringify({ _raw: call.arguments })
}

/**
 * Gemini answers a call without its signature with a 400. For calls that another model made, it has a word
 * of its own that stands for one; only the first call of a step needs it.
 */
const UNSIGNED: JsonObject = {
  extra_content: { google: { thought_signature: 'skip_thought_signature_validator' } },
}

function toExtra(call: ToolCallPart, at: number, { options, profile }: Writing): JsonObject {
  const extra = options.isUnsealed === true ? undefined : options.recallExtra?.(call.id)
  if (extra !== undefined) return extra
  return profile.vendor === 'gemini' && at === 0 ? UNSIGNED : {}
}
