/**
 * With a budget for thinking, a turn that is still calling tools must begin with its thinking, or the request
 * is a 400. Where it is gone (another vendor thought it, or nobody kept it), the answer comes without thinking.
 * Turns that are over need none: the API leaves their thinking out itself. Neighbours: `request-write.ts`,
 * `request-own.ts`.
 */
import { toList, toObject, type JsonObject } from '../../base/json.ts'
import { isThought } from './request-messages.ts'

/** Whether the turn under way calls tools and does not begin with thinking. */
export function lacksThinking(messages: readonly JsonObject[]): boolean {
  const start = messages.findLastIndex(
    (message) => message['role'] === 'user' && !hasBlock(message, 'tool_result'),
  )
  const first = messages.slice(start + 1).find((message) => message['role'] === 'assistant')
  if (first === undefined || !hasBlock(first, 'tool_use')) return false
  return !isThought(toObject(toList(first['content'])[0]))
}

const hasBlock = (message: JsonObject, type: string): boolean =>
  toList(message['content']).some((block) => toObject(block)?.['type'] === type)
