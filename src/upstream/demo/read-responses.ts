/**
 * A body of Responses to what was asked. Neighbours: `asked.ts`, `tools.ts`, `content.ts`. Nothing is
 * stored here, so `previous_response_id` and `item_reference` name what nobody knows: what the request
 * holds is answered.
 */
import { isObject, toList, toObject, toText, type JsonObject } from '../../base/json.ts'
import type { Problem, ReadBody, ToolChoice, Turn } from './asked.ts'
import { checkBody, promptOf, textOf } from './content.ts'
import { readResponsesTools } from './tools.ts'

export function readResponses(body: JsonObject): ReadBody | Problem {
  const problem = checkBody(body) ?? checkInput(body)
  if (problem !== undefined) return { problem }
  const { input } = body
  const items: readonly JsonObject[] =
    typeof input === 'string' ? [{ role: 'user', content: input }] : toList(input).filter(isObject)
  const isSystem = ({ role }: JsonObject): boolean => role === 'system' || role === 'developer'
  return {
    model: toText(body['model']) ?? '',
    isStream: body['stream'] === true,
    includeUsage: true,
    wantsSeal: toList(body['include']).includes('reasoning.encrypted_content'),
    turns: items.flatMap(toTurns),
    system: [body['instructions'], ...items.filter(isSystem).map(({ content }) => content)]
      .map(textOf)
      .join('\n'),
    tools: [
      ...readResponsesTools(body['tools']),
      // Codex hands its tools over as the first item of the input.
      ...items
        .filter(({ type }) => type === 'additional_tools')
        .flatMap(({ tools }) => readResponsesTools(tools)),
    ],
    toolChoice: toChoice(body['tool_choice']),
    isParallel: body['parallel_tool_calls'] !== false,
    format: toFormat(toObject(toObject(body['text'])?.['format'])),
    input: [body['instructions'], input, body['tools']],
  }
}

function checkInput(body: JsonObject): string | undefined {
  const { input } = body
  if (typeof input === 'string') return undefined
  if (input == null) {
    const hasOther = ['previous_response_id', 'conversation', 'prompt'].some(
      (key) => body[key] != null,
    )
    return hasOther ? undefined : 'input: a text or a list of items is required'
  }
  if (!Array.isArray(input)) return 'input: must be a text or a list of items'
  const wrong = input.findIndex((item) => !isObject(item))
  return wrong === -1 ? undefined : `input.${wrong}: must be an object`
}

function toTurns(item: JsonObject): readonly Turn[] {
  const type = toText(item['type']) ?? 'message'
  if (type === 'message') {
    if (item['role'] === 'user') return [{ type: 'user', text: promptOf(item['content']) }]
    return item['role'] === 'assistant' ? [{ type: 'said' }] : []
  }
  if (type.endsWith('_output'))
    return [{ type: 'result', text: textOf(item['output']), isError: item['status'] === 'failed' }]
  if (type.endsWith('_call')) return [{ type: 'call' }]
  return type === 'reasoning' || type === 'item_reference' ? [{ type: 'said' }] : []
}

function toChoice(choice: unknown): ToolChoice {
  if (choice === 'none') return { type: 'none' }
  if (choice === 'required') return { type: 'required' }
  const name = toText(toObject(choice)?.['name'])
  return name === undefined ? { type: 'auto' } : { type: 'named', name }
}

function toFormat(format: JsonObject | undefined): JsonObject | undefined {
  if (format?.['type'] === 'json_schema') return toObject(format['schema']) ?? {}
  return format?.['type'] === 'json_object' ? {} : undefined
}
