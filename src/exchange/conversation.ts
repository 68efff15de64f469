/**
 * Which conversation a request belongs to, as far as it shows that: agents name their session, and who does not goes on
 * from a beginning that stays the same. Neighbours: `policies.ts`. A name for books of ours, and no secret.
 */
import { hash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { isObject, toList, toObject, toText, type JsonObject } from '../base/json.ts'

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
  body: JsonObject,
  ofAnswer: (id: string) => string | undefined,
): string {
  for (const name of HEADERS) {
    const value = headers[name]
    if (typeof value === 'string' && value !== '') return value.slice(0, MAX_NAME_CHARS)
  }
  const named =
    sessionOfUser(toText(toObject(body['metadata'])?.['user_id'])) ??
    toText(body['prompt_cache_key']) ??
    toText(toObject(body['thread'])?.['id']) ??
    toText(toObject(body['conversation'])?.['id']) ??
    toText(body['conversation'])
  if (named !== undefined) return named.slice(0, MAX_NAME_CHARS)
  const previous = toText(body['previous_response_id'])
  return (previous === undefined ? undefined : ofAnswer(previous)) ?? beginningOf(body)
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
function beginningOf(body: JsonObject): string {
  const turns = toList(body['messages'] ?? body['input'])
  const first =
    turns.find((turn) => isObject(turn) && turn['role'] === 'user') ?? body['input'] ?? turns[0]
  const text = wordsOf(isObject(first) ? first['content'] : first).slice(0, MAX_CHARS)
  return `from ${hash('sha256', text, 'base64url').slice(0, 24)}`
}

const MAX_CHARS = 100_000

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
