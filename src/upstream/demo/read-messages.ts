/**
 * A body of Anthropic Messages to what was asked. Neighbours: `asked.ts`, `tools.ts`; `content.ts` reads
 * text out of parts. Lenient about everything that the scripts do not look at.
 */
import { isObject, toList, toObject, toText, type JsonObject } from '../../base/json.ts'
import type { Problem, ReadBody, ToolChoice, Turn } from './asked.ts'
import { checkBody, checkMessages, promptOf, textOf } from './content.ts'
import { readAnthropicTools } from './tools.ts'

export function readMessages(body: JsonObject, isCount: boolean): ReadBody | Problem {
  const problem =
    checkBody(body) ??
    (isCount || isPositive(body['max_tokens'])
      ? undefined
      : 'max_tokens: a whole number over 0 is required') ??
    checkMessages(body['messages'], false)
  if (problem !== undefined) return { problem }
  const messages = toList(body['messages']).filter(isObject)
  const choice = toObject(body['tool_choice'])
  const format =
    toObject(toObject(body['output_config'])?.['format']) ?? toObject(body['output_format'])
  return {
    model: toText(body['model']) ?? '',
    isStream: body['stream'] === true,
    includeUsage: true,
    wantsSeal: true,
    turns: messages.flatMap(toTurns),
    system: textOf(body['system']),
    tools: readAnthropicTools(body['tools']),
    toolChoice: toChoice(choice),
    isParallel: choice?.['disable_parallel_tool_use'] !== true,
    format: format?.['type'] === 'json_schema' ? (toObject(format['schema']) ?? {}) : undefined,
    input: [body['system'], body['messages'], body['tools']],
  }
}

const isPositive = (value: unknown): boolean => Number.isInteger(value) && Number(value) > 0

function toTurns(message: JsonObject): readonly Turn[] {
  const { role, content } = message
  if (role === 'assistant')
    return typeof content === 'string'
      ? [{ type: 'said' }]
      : toList(content).map((part) => ({
          type: toObject(part)?.['type'] === 'tool_use' ? 'call' : 'said',
        }))
  // Claude Code sends messages of the system among the others.
  if (role !== 'user') return []
  const parts = toList(content).filter(isObject)
  const results = parts
    .filter(({ type }) => type === 'tool_result')
    .map((part): Turn => {
      const isError = part['is_error'] === true
      return { type: 'result', text: textOf(part['content']), isError }
    })
  return [...results, { type: 'user', text: promptOf(content) }]
}

function toChoice(choice: JsonObject | undefined): ToolChoice {
  const name = toText(choice?.['name'])
  if (choice?.['type'] === 'none') return { type: 'none' }
  if (choice?.['type'] === 'any') return { type: 'required' }
  return choice?.['type'] === 'tool' && name !== undefined
    ? { type: 'named', name }
    : { type: 'auto' }
}
