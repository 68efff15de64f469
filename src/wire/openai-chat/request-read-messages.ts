/**
 * The messages of a Chat client to instructions and turns, one turn per message and in their order.
 * Neighbours: `request-read.ts`; `request-read-parts.ts` reads contents, `request-thinking.ts` thinking,
 * `request-read-calls.ts` calls and what they are answered by. Mends nothing: that is done towards a target.
 */
import { isObject, toObject, toText, type JsonObject } from '../../base/json.ts'
import type { OpaquePart, Part, TextPart, ToolResultPart } from '../../request/part.ts'
import type { Turn } from '../../request/request.ts'
import { describe, takeList, type Problems } from './request-fields.ts'
import { createCallReader, type CallReader } from './request-read-calls.ts'
import { readParts } from './request-read-parts.ts'
import { readThinking } from './request-thinking.ts'

export interface Conversation {
  readonly system: readonly TextPart[]
  readonly turns: readonly Turn[]
}

export function readMessages(body: JsonObject, problems: Problems): Conversation {
  const messages = takeList(body, 'messages', problems)
  if (messages.length === 0) problems.add('messages', 'Send at least one message in a list')
  const reader: Reader = {
    problems,
    calls: createCallReader(problems),
    hasNames: hasNames(messages),
  }
  const system: TextPart[] = []
  const turns: Turn[] = []
  for (const [i, message] of messages.entries()) {
    const turn = readMessage(message, `messages[${i}]`, reader)
    if (turn === undefined) continue
    if (turn.role !== 'system' || turns.length > 0) turns.push(turn)
    // One by one: a call takes no hundred thousand arguments, and a message may have as many parts.
    else for (const part of turn.parts.flatMap(toTexts)) system.push(part)
  }
  return { system, turns }
}

interface Reader {
  readonly problems: Problems
  readonly calls: CallReader
  /** Whether several people speak as the user. */
  readonly hasNames: boolean
}

function hasNames(messages: readonly unknown[]): boolean {
  const users = messages.map(toObject).filter((message) => message?.['role'] === 'user')
  const names = users.map((message) => toText(message?.['name']))
  return new Set(names.filter((name) => name !== undefined)).size > 1
}

function readMessage(message: unknown, path: string, reader: Reader): Turn | undefined {
  const { problems, calls } = reader
  if (!isObject(message)) {
    problems.add(path, `Send a message as an object: got ${describe(message)}`)
    return undefined
  }
  const content = (): readonly Part[] => readParts(message['content'], `${path}.content`, problems)
  switch (message['role']) {
    case 'system':
    case 'developer':
      return { role: 'system', parts: content(), vendor: message }
    case 'user':
      return { role: 'user', parts: withName(content(), message, reader), vendor: message }
    case 'assistant':
      return { role: 'assistant', parts: readAssistant(message, path, reader), vendor: message }
    case 'tool':
    case 'function': {
      const { id, dialect } = calls.answer(message, path)
      const parts: readonly Part[] = [
        { type: 'tool-result', callId: id, dialect, ...readResult(content()), vendor: message },
      ]
      return { role: 'user', parts, vendor: message }
    }
    default:
      problems.add(
        `${path}.role`,
        `Send "system", "developer", "user", "assistant" or "tool": got ${describe(message['role'])}`,
      )
      return undefined
  }
}

/** No other wire has names, and one of several people would not be told from the next. */
function withName(
  parts: readonly Part[],
  message: JsonObject,
  { hasNames: isTold }: Reader,
): readonly Part[] {
  const name = toText(message['name'])
  const at = parts.findIndex((part) => part.type === 'text')
  const first = parts[at]
  if (!isTold || name === undefined || first?.type !== 'text') return parts
  return parts.with(at, { ...first, text: `${name}: ${first.text}` })
}

/** In the order in which the model made them: thinking, words, calls. */
function readAssistant(message: JsonObject, path: string, reader: Reader): readonly Part[] {
  const { problems, calls } = reader
  const content = readParts(message['content'], `${path}.content`, problems)
  const refusal = toText(message['refusal'])
  const audio = toObject(message['audio'])
  // Mistral's own thinking stands in the content; where it is told twice, once is enough.
  const thinking = content.some((part) => part.type === 'thinking') ? [] : readThinking(message)
  return [
    ...thinking,
    ...content,
    ...(refusal === undefined ? [] : [{ type: 'refusal' as const, text: refusal }]),
    ...(audio === undefined ? [] : [toAudio(audio)]),
    ...calls.read(message, path),
  ]
}

/** A spoken answer of before, which only its server has. */
const toAudio = (audio: JsonObject): OpaquePart => ({
  type: 'opaque',
  what: 'messages.audio',
  vendor: { audio },
})

/** How a failed call is told on a wire without a field for it; `request-write-parts.ts` writes it. */
export const ERROR_PREFIX = 'Error: '

/**
 * A result that begins so is of a tool that failed. The words stay: nobody can tell whether we put them there or
 * the tool itself, and what a tool said is not ours to cut.
 */
function readResult(content: readonly Part[]): Pick<ToolResultPart, 'parts' | 'isError'> {
  const parts = content.filter(
    (part) =>
      part.type === 'text' ||
      part.type === 'image' ||
      part.type === 'document' ||
      part.type === 'opaque',
  )
  const first = parts[0]
  return { parts, isError: first?.type === 'text' && first.text.startsWith(ERROR_PREFIX) }
}

const toTexts = (part: Part): readonly TextPart[] =>
  part.type === 'text'
    ? [part]
    : part.type === 'opaque' && part.text !== undefined
      ? [{ type: 'text', text: part.text }]
      : []
