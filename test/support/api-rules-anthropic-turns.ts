/**
 * The order of turns at the Messages API: who may speak after whom, and every call answered at once. Neighbour:
 * `api-rules-anthropic.ts`, which looks at the fields.
 */
import { isObject, toObjects, type Json, type Report } from './api-rules.ts'

export function checkTurns(body: Json, version: number, report: Report): void {
  const messages = toObjects(body['messages'])
  if (messages.length > 0 && messages[0]?.['role'] !== 'user')
    report('messages[0].role', 'The first message must be of the user')
  messages.forEach((message, i) => {
    const path = `messages[${i}]`
    if (message['role'] === 'system') checkSystem(messages, i, version, report)
    if (message['role'] === 'user') checkUser(messages, i, report)
    if (message['role'] === 'assistant') checkAssistant(messages[i + 1], message, path, report)
  })
  checkUnique(messages, report)
  checkPrefill(messages.at(-1), version, report)
  checkLoop(body, messages, version, report)
}

const blocksOf = (message: Json | undefined, type: string): Json[] =>
  toObjects(message?.['content']).filter((block) => block['type'] === type)

function checkSystem(messages: Json[], i: number, version: number, report: Report): void {
  const path = `messages[${i}]`
  if (version < 4.08) report(path, "role 'system' is not supported on this model")
  const before = messages[i - 1]
  const last = toObjects(before?.['content']).at(-1)?.['type']
  const isAfterServer = before?.['role'] === 'assistant' && String(last).startsWith('server_tool')
  if (before?.['role'] !== 'user' && !isAfterServer)
    report(path, 'A system message must follow a user message')
  const after = messages[i + 1]
  if (after !== undefined && after['role'] !== 'assistant')
    report(path, 'A system message must be last or be followed by an assistant message')
}

function checkUser(messages: Json[], i: number, report: Report): void {
  const calls = blocksOf(messages[i - 1], 'tool_use').map((block) => block['id'])
  const seen = new Set<unknown>()
  let hasOther = false
  toObjects(messages[i]?.['content']).forEach((block, j) => {
    const path = `messages[${i}].content[${j}]`
    if (block['type'] !== 'tool_result') {
      hasOther = true
      return
    }
    const id = block['tool_use_id']
    if (!calls.includes(id)) report(path, `unexpected \`tool_use_id\`: ${String(id)}`)
    if (seen.has(id)) report(path, 'each tool_use must have a single result')
    if (hasOther) report(path, 'tool_result blocks must come before other content')
    if (block['is_error'] === true && toObjects(block['content']).some(isNoText))
      report(path, 'all content must be type "text" if "is_error" is true')
    seen.add(id)
  })
}

const isNoText = (block: Json): boolean => block['type'] !== 'text'

function checkAssistant(next: Json | undefined, message: Json, path: string, report: Report): void {
  const results = blocksOf(next, 'tool_result').map((block) => block['tool_use_id'])
  for (const { id } of blocksOf(message, 'tool_use'))
    if (next?.['role'] !== 'user' || !results.includes(id))
      report(path, `tool_use without tool_result immediately after: ${String(id)}`)
}

function checkUnique(messages: Json[], report: Report): void {
  const ids = messages.flatMap((message) => blocksOf(message, 'tool_use').map(({ id }) => id))
  if (new Set(ids).size < ids.length) report('messages', '`tool_use` ids must be unique')
}

function checkPrefill(last: Json | undefined, version: number, report: Report): void {
  if (last?.['role'] !== 'assistant') return
  if (version >= 4.06) report('messages', 'This model does not support assistant message prefill')
  const content = last['content']
  const end = typeof content === 'string' ? content : toObjects(content).at(-1)?.['text']
  if (typeof end === 'string' && /\s$/.test(end))
    report('messages', 'final assistant content cannot end with trailing whitespace')
}

/** With manual thinking, a turn that is still calling tools begins with its thinking. */
function checkLoop(body: Json, messages: Json[], version: number, report: Report): void {
  const thinking = isObject(body['thinking']) ? body['thinking'] : {}
  if (thinking['type'] !== 'enabled' || version >= 4.06) return
  const start = messages.findLastIndex(
    (message) => message['role'] === 'user' && blocksOf(message, 'tool_result').length === 0,
  )
  const first = messages.slice(start + 1).find((message) => message['role'] === 'assistant')
  if (blocksOf(first, 'tool_use').length === 0) return
  const type = toObjects(first?.['content'])[0]?.['type']
  if (type !== 'thinking' && type !== 'redacted_thinking')
    report('messages', `Expected \`thinking\` or \`redacted_thinking\`, but found ${String(type)}`)
}
