/**
 * Which conversation a request belongs to, as far as it shows that: agents name their session, and who does not goes on
 * from a beginning that stays the same. Neighbours: `policies.ts`. A name for books of ours, and no secret.
 */
import { hash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { isObject, toList, toObject, toText, type JsonObject } from '../base/json.ts'

/** A request as far as it is looked at here: the rest of it need not be read. */
export interface Told {
  member(name: string): unknown
  /** Of a list, one after the other. */
  elements(name: string): Iterable<unknown>
}

export const toldBy = (body: JsonObject): Told => ({
  member: (name) => body[name],
  elements: (name) => toList(body[name]),
})

/** Headers in which agents name their session. */
const HEADERS = [
  'x-claude-code-session-id',
  'session_id',
  'session-id',
  'conversation_id',
  'x-session-id',
  'x-conversation-id',
  'x-session-affinity',
]

const MAX_NAME_CHARS = 200

/** `ofAnswer`: that of an answer which a request goes on from by its id. */
export function conversationOf(
  headers: IncomingHttpHeaders,
  told: Told,
  ofAnswer: (id: string) => string | undefined,
): string {
  for (const name of HEADERS) {
    const value = headers[name]
    if (typeof value === 'string' && value !== '') return value.slice(0, MAX_NAME_CHARS)
  }
  const named =
    sessionOfUser(toText(toObject(told.member('metadata'))?.['user_id'])) ??
    toText(told.member('prompt_cache_key')) ??
    toText(toObject(told.member('thread'))?.['id']) ??
    toText(toObject(told.member('conversation'))?.['id']) ??
    toText(told.member('conversation'))
  if (named !== undefined) return named.slice(0, MAX_NAME_CHARS)
  const previous = toText(told.member('previous_response_id'))
  return (previous === undefined ? undefined : ofAnswer(previous)) ?? beginningOf(told)
}

/** Claude Code says who, where and which session in one: `user_…_session_<uuid>`, or an object as text. */
function sessionOfUser(user: string | undefined): string | undefined {
  if (user === undefined) return undefined
  return (
    /session_([\w-]{8,64})$/.exec(user)?.[1] ??
    /"session_id"\s*:\s*"([\w-]{8,64})"/.exec(user)?.[1] ??
    undefined
  )
}

/** The first word of the user, which every later request repeats. */
function beginningOf(told: Told): string {
  const first = firstOfUser(told)
  const text = wordsOf(isObject(first) ? first['content'] : first).slice(0, MAX_CHARS)
  return `from ${hash('sha256', text, 'base64url').slice(0, 24)}`
}

const MAX_CHARS = 100_000

function firstOfUser(told: Told): unknown {
  let first: unknown
  for (const name of ['messages', 'input'])
    for (const turn of told.elements(name)) {
      if (isObject(turn) && turn['role'] === 'user') return turn
      first ??= turn
    }
  return told.member('input') ?? first
}

/** Its words alone: marks for caches wander from turn to turn, and a text may be a string or a list. */
function wordsOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return JSON.stringify(content ?? null)
  return content
    .map((part: unknown) => {
      if (!isObject(part)) return String(part)
      const { cache_control: _mark, ...rest } = part
      return toText(part['text']) ?? JSON.stringify(rest)
    })
    .join('\n')
}
