/**
 * A body of Chat Completions to what was asked. Neighbours: `asked.ts`, `tools.ts`, `content.ts`. Lenient
 * about everything that the scripts do not look at.
 */
import { isObject, toList, toObject, toText, type JsonObject } from '../../base/json.ts'
import type { Problem, ReadBody, ToolChoice, Turn } from './asked.ts'
import { checkBody, checkMessages, promptOf, textOf } from './content.ts'
import { readChatTools } from './tools.ts'

export function readChat(body: JsonObject): ReadBody | Problem {
  const problem = checkBody(body) ?? checkMessages(body['messages'], true)
  if (problem !== undefined) return { problem }
  const messages = toList(body['messages']).filter(isObject)
  return {
    model: toText(body['model']) ?? '',
    isStream: body['stream'] === true,
    includeUsage: toObject(body['stream_options'])?.['include_usage'] === true,
    wantsSeal: false,
    turns: messages.flatMap(toTurns),
    system: messages
      .filter(({ role }) => role === 'system' || role === 'developer')
      .map(({ content }) => textOf(content))
      .join('\n'),
    tools: readChatTools(body['tools']),
    toolChoice: toChoice(body['tool_choice']),
    isParallel: body['parallel_tool_calls'] !== false,
    format: toFormat(toObject(body['response_format'])),
    input: [body['messages'], body['tools']],
  }
}

function toTurns({ role, content, tool_calls }: JsonObject): readonly Turn[] {
  switch (role) {
    case 'user':
      return [{ type: 'user', text: promptOf(content) }]
    case 'assistant':
      return [{ type: 'said' }, ...toList(tool_calls).map((): Turn => ({ type: 'call' }))]
    case 'tool':
    case 'function':
      return [{ type: 'result', text: textOf(content), isError: false }]
    default:
      return []
  }
}

function toChoice(choice: unknown): ToolChoice {
  if (choice === 'none') return { type: 'none' }
  if (choice === 'required') return { type: 'required' }
  const inner = toObject(toObject(choice)?.['function']) ?? toObject(toObject(choice)?.['custom'])
  const name = toText(inner?.['name'])
  return name === undefined ? { type: 'auto' } : { type: 'named', name }
}

function toFormat(format: JsonObject | undefined): JsonObject | undefined {
  if (format?.['type'] === 'json_schema')
    return toObject(toObject(format['json_schema'])?.['schema']) ?? {}
  return format?.['type'] === 'json_object' ? {} : undefined
}
