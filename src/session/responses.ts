/**
 * The state features of the Responses wire, for answers that another wire gave: `previous_response_id` and
 * `item_reference` → the items themselves, and what `GET` and `DELETE` say. Speaks of that wire's requests
 * and answers and of nothing inside their items. Neighbours: `answers.ts` keeps, `sessions.ts` is the face.
 *
 * Known divergences: ids of conversations are not known here; `input_items` lists what the request itself
 * brought; events are not kept, so `starting_after` has nothing to read from.
 */
import { isObject, toList, toObject, toText, type JsonObject } from '../base/json.ts'
import type { Answers } from './answers.ts'
import type { AnswerEntry } from './entry.ts'

export const RESPONSES = 'openai-responses'

/** An answer, and the request that it was given to. */
export interface ResponseTurn {
  readonly id: string
  /** As the client sent it: with the id that it goes on from, and without what came before. */
  readonly requestBody: JsonObject
  readonly outputItems: readonly unknown[]
  readonly answerBody?: JsonObject | undefined
}

export type ExpandedResponses =
  | { readonly ok: true; readonly body: JsonObject }
  /** `missing`: the id as the client said it. `path`: where. */
  | { readonly ok: false; readonly missing: string; readonly path: string }

/** What is kept of it; nothing where the client did not want that, or where nothing came of it. */
export function toResponsesEntry(
  answers: Answers,
  owner: string,
  turn: ResponseTurn,
): AnswerEntry | undefined {
  const { id, requestBody, outputItems } = turn
  const status = turn.answerBody?.['status']
  if (requestBody['store'] === false || status === 'failed' || status === 'cancelled')
    return undefined
  const { output: _output, ...body } = turn.answerBody ?? {}
  const previous = toText(requestBody['previous_response_id'])
  const input = toItems(requestBody['input']) ?? []
  return {
    type: 'answer',
    owner,
    id,
    wire: RESPONSES,
    ...(previous === undefined ? {} : { previous }),
    // By the time it is read, what it refers to may be gone. Kept items are shared, so that this costs nothing.
    input: input.map((item) => resolve(answers, owner, item) ?? item),
    output: outputItems,
    body,
  }
}

/** The same request with everything in it that it names by id. */
export function expandResponses(
  answers: Answers,
  owner: string,
  body: JsonObject,
): ExpandedResponses {
  const { previous_response_id: previous, conversation, ...rest } = body
  if (conversation !== undefined && conversation !== null)
    return missing(toObject(conversation)?.['id'] ?? conversation, 'conversation')
  const own = toItems(rest['input'])
  const hasPrevious = previous !== undefined && previous !== null
  if (!hasPrevious && own?.some(isReference) !== true)
    return {
      ok: true,
      body: 'previous_response_id' in body || 'conversation' in body ? rest : body,
    }
  const before = typeof previous === 'string' ? answers.find(owner, RESPONSES, previous) : undefined
  if (hasPrevious && before === undefined) return missing(previous, 'previous_response_id')
  // What is wrong with the input is for its reader to say.
  if (own === undefined) return { ok: true, body: rest }
  const input: unknown[] = []
  for (const item of before?.items() ?? []) {
    const whole = resolve(answers, owner, item)
    if (whole === undefined) return missing(previous, 'previous_response_id')
    input.push(whole)
  }
  for (const [at, item] of own.entries()) {
    const whole = resolve(answers, owner, item)
    if (whole === undefined) return missing(toObject(item)?.['id'], `input[${at}].id`)
    input.push(whole)
  }
  return { ok: true, body: { ...rest, input } }
}

/** `GET /v1/responses/{id}`. */
export function findResponse(answers: Answers, owner: string, id: string): JsonObject | undefined {
  const answer = answers.find(owner, RESPONSES, id)
  if (answer === undefined) return undefined
  return { object: 'response', status: 'completed', ...answer.body(), id, output: answer.output() }
}

/** `DELETE /v1/responses/{id}`. Conversations that went on from it stay whole. */
export const deleteResponse = (
  answers: Answers,
  owner: string,
  id: string,
): JsonObject | undefined =>
  answers.remove(owner, RESPONSES, id) ? { id, object: 'response', deleted: true } : undefined

/** Which of the items are asked for, as the query says it. */
export interface ItemsQuery {
  readonly after?: string | undefined
  /** 1 to 100; default 20. */
  readonly limit?: number | undefined
  /** Default `desc`: the last one first. */
  readonly order?: 'asc' | 'desc' | undefined
}

/** `GET /v1/responses/{id}/input_items`. */
export function listInput(
  answers: Answers,
  owner: string,
  id: string,
  query: ItemsQuery = {},
): JsonObject | undefined {
  const input = answers.find(owner, RESPONSES, id)?.input()
  if (input === undefined) return undefined
  const key = id.replace(/^resp_/, '')
  const all = input.map((item, at) => toListed(item, `msg_${key}_in${at}`))
  if (query.order !== 'asc') all.reverse()
  const { limit = 20 } = query
  const from =
    query.after === undefined ? 0 : all.findIndex((item) => item['id'] === query.after) + 1
  const count = Math.min(100, Math.max(1, Number.isFinite(limit) ? Math.floor(limit) : 20))
  const data = all.slice(from, from + count)
  return {
    object: 'list',
    data,
    first_id: data[0]?.['id'] ?? null,
    last_id: data.at(-1)?.['id'] ?? null,
    has_more: from + count < all.length,
  }
}

/** An item as it is listed: with an id, and what a client may leave out filled in. */
function toListed(item: unknown, id: string): JsonObject {
  const { content, ...json } = isObject(item) ? item : {}
  const type = json['role'] === 'assistant' ? 'output_text' : 'input_text'
  return {
    id,
    type: 'message',
    ...json,
    ...(content === undefined
      ? {}
      : { content: typeof content === 'string' ? [{ type, text: content }] : content }),
  }
}

/** A plain text is a message of the user's. Nothing at all is no item; anything else is no input. */
function toItems(input: unknown): readonly unknown[] | undefined {
  if (typeof input === 'string') return [{ type: 'message', role: 'user', content: input }]
  if (input === undefined || input === null) return []
  return Array.isArray(input) ? toList(input) : undefined
}

/** The type may be left out, and then the id is all there is. */
/** Whether some of these items only name what was said before. */
export const hasReference = (items: unknown): boolean => toList(items).some(isReference)

function isReference(item: unknown): item is JsonObject {
  if (!isObject(item)) return false
  const type = item['type']
  if (type === 'item_reference') return true
  return (
    (type === undefined || type === null) &&
    typeof item['id'] === 'string' &&
    Object.keys(item).every((key) => key === 'id' || key === 'type')
  )
}

/** The item itself where it is a reference; `undefined` where that is not here. */
function resolve(answers: Answers, owner: string, item: unknown): unknown {
  if (!isReference(item)) return item ?? null
  const id = toText(item['id'])
  return id === undefined ? undefined : answers.findItem(owner, id)
}

const missing = (id: unknown, path: string): ExpandedResponses => ({
  ok: false,
  missing: typeof id === 'string' ? id : `(${typeof id})`,
  path,
})
