/**
 * Turns of another wire to messages that the API takes: a user's first, roles in turn, results right behind
 * their calls and first in their message, nothing empty. Neighbours: `request-write.ts` asks, `request-parts.ts`
 * writes the parts, `request-loop.ts` looks at the thinking in them. The same turns always become the same
 * messages, whatever follows them: prompt caches live on that.
 */
import type { JsonObject } from '../../base/json.ts'
import { pairCalls } from '../../request/pairing.ts'
import type { Part } from '../../request/part.ts'
import type { Turn } from '../../request/request.ts'
import { NOTHING_SAID } from '../../request/write.ts'
import type { Draft } from './request-draft.ts'
import { createPartWriter, writeThought, type PartWriter } from './request-parts.ts'

export interface Message {
  readonly role: Turn['role']
  readonly content: readonly JsonObject[]
  /** The ids of its calls, as the client has them. */
  readonly calls: readonly string[]
}

export function writeMessages(draft: Draft): readonly Message[] {
  const { request, profile, losses, problems, spelling } = draft
  const writer = createPartWriter(draft)
  const turns = pairCalls(request.turns, losses)
  const toLegals = (messages: readonly Message[]): readonly Message[] =>
    merge(merge(messages).flatMap((message) => toLegal(message, draft)))
  // Twice: what falls away here decides who speaks after whom, and what is placed is merged again.
  const spoken = toLegals(turns.flatMap((turn) => writeTurn(turn, writer, draft)))
  const placed = spoken.map((message, i) => {
    if (message.role !== 'system') return message
    const isLegal = spoken[i - 1]?.role === 'user' && spoken[i + 1]?.role !== 'user'
    if (isLegal && profile.takesMidSystem) return message
    losses.add('approximated', `${spelling.messages}.system`)
    return toReminder(message)
  })
  const messages = toLegals(placed)
  if (messages[0]?.role === 'user') return messages
  const isSilent = messages.length === 0 && request.system.every(({ text }) => text.trim() === '')
  if (isSilent) problems.add(spelling.messages, NOTHING_SAID)
  losses.add('approximated', `${spelling.messages}[0]`)
  return merge([toUser('Begin.'), ...messages])
}

/**
 * The conversation with somebody to answer to at its end. On the OpenAI wires a last message of the assistant's
 * is a finished one, and the model says another: that is what a word of the user's asks for. Where the model
 * takes the beginning of its answer, the client that has written one means just that.
 */
export function endMessages(
  messages: readonly Message[],
  draft: Draft,
  canPrefill: boolean,
): readonly Message[] {
  const last = messages.at(-1)
  if (last?.role !== 'assistant') return messages
  const before = messages.slice(0, -1)
  const end = last.content.at(-1)
  const text = typeof end?.['text'] === 'string' ? end['text'].trimEnd() : ''
  if (draft.profile.takesPrefill && canPrefill && end !== undefined && text !== '')
    return [...before, { ...last, content: [...last.content.slice(0, -1), { ...end, text }] }]
  draft.losses.add('approximated', `${draft.spelling.messages}.prefill`)
  return [...messages, toUser('Continue.')]
}

const toUser = (text: string): Message => ({
  role: 'user',
  content: [{ type: 'text', text }],
  calls: [],
})

function writeTurn(turn: Turn, writer: PartWriter, draft: Draft): readonly Message[] {
  const parts = turn.parts.filter((part) => isAtHome(part, turn.role, draft))
  const content = parts.map((part) => writer.write(part)).filter((block) => block !== undefined)
  const calls = parts.flatMap((part) => (part.type === 'tool-call' ? [part.id] : []))
  return content.length === 0 ? [] : [{ role: turn.role, content, calls }]
}

const AT_HOME: Readonly<Record<Turn['role'], ReadonlySet<Part['type']>>> = {
  user: new Set(['text', 'refusal', 'image', 'document', 'audio', 'tool-result', 'opaque']),
  assistant: new Set(['text', 'refusal', 'thinking', 'tool-call', 'opaque']),
  system: new Set(['text', 'refusal', 'opaque']),
}

/** Whether the API takes such a part from that role. */
function isAtHome(part: Part, role: Turn['role'], { losses }: Draft): boolean {
  const isHome = AT_HOME[role].has(part.type)
  if (!isHome && part.type !== 'thinking') losses.add('dropped', `${role} ${part.type}`)
  return isHome
}

/** Grows lists of its own: to copy the last message for each that joins it would be quadratic. */
function merge(messages: readonly Message[]): readonly Message[] {
  const out: { role: Turn['role']; content: JsonObject[]; calls: string[] }[] = []
  for (const { role, content, calls } of messages) {
    let last = out.at(-1)
    if (last?.role !== role) {
      last = { role, content: [], calls: [] }
      out.push(last)
    }
    for (const block of content) last.content.push(block)
    for (const id of calls) last.calls.push(id)
  }
  return out
}

/** Said by the system, at the place where it was said: further up it would come too early, and cost the cache. */
const toReminder = ({ content }: Message): Message => ({
  role: 'user',
  content: content.map((block) => ({
    ...block,
    text: `<system-reminder>\n${String(block['text'])}\n</system-reminder>`,
  })),
  calls: [],
})

function toLegal(message: Message, draft: Draft): readonly Message[] {
  if (message.role === 'user') return [{ ...message, content: sortUser(message.content) }]
  if (message.role === 'system') return [message]
  const content = sortAssistant(recallThinking(message, draft))
  return content.length === 0 ? [] : [{ ...message, content }]
}

const isResult = (block: JsonObject): boolean => block['type'] === 'tool_result'
const isCall = (block: JsonObject): boolean => block['type'] === 'tool_use'
export const isThought = (block: JsonObject | undefined): boolean =>
  block?.['type'] === 'thinking' || block?.['type'] === 'redacted_thinking'

const sortUser = (content: readonly JsonObject[]): readonly JsonObject[] => [
  ...content.filter(isResult),
  ...content.filter((block) => !isResult(block)),
]

function sortAssistant(content: readonly JsonObject[]): readonly JsonObject[] {
  const sorted = callsLast(content)
  // Thinking is no last word.
  const end = sorted.findLastIndex((block) => !isThought(block))
  return sorted.slice(0, end + 1)
}

/** Some upstreams speak after a call, which this API refuses: what was said stands before the calls. */
export function callsLast(content: readonly JsonObject[]): readonly JsonObject[] {
  const firstCall = content.findIndex(isCall)
  if (firstCall === -1) return content
  const before = content.slice(0, firstCall)
  const after = content.slice(firstCall)
  const isText = (block: JsonObject): boolean => block['type'] === 'text'
  return [...before, ...after.filter(isText), ...after.filter((block) => !isText(block))]
}

/** Thinking that stood before a call, where the client's format hands none back. */
function recallThinking(message: Message, draft: Draft): readonly JsonObject[] {
  const { content, calls } = message
  if (calls.length === 0 || draft.profile.thinking === 'none' || content.some(isThought))
    return content
  return withRecalled(content, calls, draft)
}

/**
 * What was thought before each call, before it. The first thought stands before all that was said: a message that
 * holds thinking begins with it. `calls` are the ids of the calls in the content, as the client has them.
 */
export function withRecalled(
  content: readonly JsonObject[],
  calls: readonly string[],
  draft: Draft,
): readonly JsonObject[] {
  /** Calls that stand together share what was thought before them. */
  const told = new Set<string>()
  const ids = calls.values()
  const out: JsonObject[] = []
  for (const block of content) {
    const id = isCall(block) ? ids.next().value : undefined
    const parts = (id === undefined ? undefined : draft.options.recall?.(id)) ?? []
    const isFirst = told.size === 0
    const thoughts = parts.flatMap((part) => {
      const thought = writeThought(part, draft)
      const key = JSON.stringify(thought)
      if (thought === undefined || told.has(key)) return []
      told.add(key)
      return [thought]
    })
    if (isFirst) out.unshift(...thoughts)
    else out.push(...thoughts)
    out.push(block)
  }
  return out
}
