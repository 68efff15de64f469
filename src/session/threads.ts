/**
 * The `thread` of the Messages wire (beta `message-threads`), for answers that another wire gave: a request
 * with only what is new → the whole of it. Neighbours: `answers.ts` keeps, `sessions.ts` is the face.
 *
 * The errors are those that the vendor's SDK acts on: a thread that is not here makes it send everything
 * under a new one, one that cannot be makes it go on without.
 */
import { isObject, toList, toObject, toText, type JsonObject } from '../base/json.ts'
import type { Answers } from './answers.ts'
import type { AnswerEntry } from './entry.ts'

export const MESSAGES = 'anthropic-messages'

/** An answer, and the request that it was given to. */
export interface ThreadTurn {
  readonly id: string
  /** As the client sent it: with its `thread`, and without what came before. */
  readonly requestBody: JsonObject
  /** The assistant's message. */
  readonly outputItems: readonly unknown[]
}

export type ExpandedThread =
  | { readonly ok: true; readonly body: JsonObject }
  | {
      readonly ok: false
      readonly code: 'thread_not_found' | 'thread_unsupported_request'
      /** The status that belongs to it. */
      readonly status: 400 | 404
      readonly error: JsonObject
    }

/** What is kept of it: nothing of a request that is no part of a thread. */
export function toThreadEntry(owner: string, turn: ThreadTurn): AnswerEntry | undefined {
  const { id, requestBody, outputItems } = turn
  const thread = toObject(requestBody['thread'])
  if (thread === undefined) return undefined
  const previous = toText(thread['previous_message_id'])
  const { system, tools } = requestBody
  const isFirst = thread['type'] !== 'continue' || previous === undefined
  return {
    type: 'answer',
    owner,
    id,
    wire: MESSAGES,
    ...(isFirst ? {} : { previous }),
    ...(isFirst || system !== undefined || tools !== undefined ? { head: given(requestBody) } : {}),
    // A request takes only a few marks, and a long thread would bring those of every turn.
    input: toList(requestBody['messages']).map((message) => withoutMarks(message)),
    output: outputItems,
  }
}

/** The same request with everything that its thread holds, and without the thread. */
export function expandThread(answers: Answers, owner: string, body: JsonObject): ExpandedThread {
  if (!('thread' in body)) return { ok: true, body }
  const { thread, ...rest } = body
  // The vendor's runner is told `false` to do without, and releases that know no threads pass that on.
  if (thread === undefined || thread === null || thread === false) return { ok: true, body: rest }
  const type = toObject(thread)?.['type']
  if (type === 'create') return { ok: true, body: rest }
  const previous = toText(toObject(thread)?.['previous_message_id'])
  if (type !== 'continue' || previous === undefined) return unsupported()
  const before = answers.find(owner, MESSAGES, previous)
  if (before === undefined) return notFound(previous)
  // What is wrong with the messages is for their reader to say.
  if (!Array.isArray(rest['messages'])) return { ok: true, body: rest }
  const { system, tools } = { ...before.head(), ...given(rest) }
  const messages = [...before.items(), ...toList(rest['messages'])]
  return {
    ok: true,
    body: {
      ...rest,
      ...(system === undefined ? {} : { system }),
      ...(tools === undefined ? {} : { tools }),
      messages,
    },
  }
}

/** The vendor refuses both on a thread that goes on; who says them all the same means them. */
const given = ({ system, tools }: JsonObject): { system?: unknown; tools?: unknown } => ({
  ...(system === undefined ? {} : { system }),
  ...(tools === undefined ? {} : { tools }),
})

/** Of a message, its blocks, and the blocks of a tool's result: marks stand nowhere deeper. */
function withoutMarks(message: unknown, depth = 3): unknown {
  if (!isObject(message) || depth === 0) return message
  const { cache_control: _mark, ...rest } = message
  const { content } = rest
  return Array.isArray(content)
    ? { ...rest, content: toList(content).map((block) => withoutMarks(block, depth - 1)) }
    : rest
}

function notFound(id: string): ExpandedThread {
  const code = 'thread_not_found'
  const message = `No thread is kept here that ends with "${id.slice(0, 256)}": send the whole conversation`
  const error = { type: 'not_found_error', message, details: { error_code: code } }
  return { ok: false, code, status: 404, error: { type: 'error', error } }
}

function unsupported(): ExpandedThread {
  const code = 'thread_unsupported_request'
  const message =
    'A thread is {"type":"create"} or {"type":"continue","previous_message_id":"…"}: send one of them or none'
  const details = { error_code: code, unsupported: ['thread'] }
  const error = { type: 'invalid_request_error', message, details }
  return { ok: false, code, status: 400, error: { type: 'error', error } }
}
