/**
 * The client's `system` and `messages` to turns of ours, one for one and in order. Neighbours:
 * `request-read.ts` asks, `request-blocks.ts` reads the content. Knows no target.
 */
import { isObject, type JsonObject } from '../../base/json.ts'
import { withoutBilling } from '../../request/billing.ts'
import type { TextPart } from '../../request/part.ts'
import type { Turn } from '../../request/request.ts'
import { readContent } from './request-blocks.ts'
import type { Findings } from './request-problems.ts'
import { readText } from './request-media.ts'

/** Without the line for billing. On the same wire the prompt is the client's own, so that the line stays. */
export function readSystem(
  system: unknown,
  found: Pick<Findings, 'problems'>,
): readonly TextPart[] {
  if (system === undefined || system === null) return []
  if (typeof system === 'string') return withoutBilling([{ type: 'text', text: system }])
  if (!Array.isArray(system)) {
    found.problems.add('system', 'Send a string or a list of text blocks')
    return []
  }
  const parts = system.flatMap((block: unknown, i) => {
    const path = `system[${i}]`
    if (isObject(block) && block['type'] === 'text') return readText(block, path, found) ?? []
    found.problems.add(path, 'Send a text block: a system prompt holds nothing else')
    return []
  })
  return withoutBilling(parts)
}

export function readTurns(messages: unknown, found: Findings): readonly Turn[] {
  if (!Array.isArray(messages) || messages.length === 0) {
    found.problems.add('messages', 'Send a list of at least one message')
    return []
  }
  return messages.flatMap((message: unknown, i) => readTurn(message, `messages[${i}]`, found))
}

function readTurn(message: unknown, path: string, found: Findings): readonly Turn[] {
  if (!isObject(message)) {
    found.problems.add(path, 'Send an object with "role" and "content"')
    return []
  }
  const { role } = message
  if (role !== 'user' && role !== 'assistant' && role !== 'system') {
    found.problems.add(`${path}.role`, 'Send "user", "assistant" or "system"')
    return []
  }
  noteFields(message, found)
  const parts = readContent(message['content'], `${path}.content`, found)
  return [{ role, parts, vendor: message }]
}

/** Settings in the middle of a conversation that no other wire has. */
function noteFields(message: JsonObject, found: Findings): void {
  for (const field of ['clear_at', 'output_config'])
    if (message[field] !== undefined && message[field] !== null) found.lost.add(`messages.${field}`)
}
