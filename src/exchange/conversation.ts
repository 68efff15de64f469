/**
 * Which conversation a request belongs to, as far as it shows that: agents name their session, and who does not goes on
 * from a beginning that stays the same. Neighbours: `policies.ts`. A name for books of ours, and no secret.
 */
import { createHash } from 'node:crypto'
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

export function conversationOf(headers: IncomingHttpHeaders, body: JsonObject): string {
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
  return named === undefined ? beginningOf(body) : named.slice(0, MAX_NAME_CHARS)
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
  const text = JSON.stringify(first ?? null).slice(0, 100_000)
  return `from ${createHash('sha256').update(text).digest('base64url').slice(0, 24)}`
}
