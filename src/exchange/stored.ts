/**
 * A stored answer that a client asks for again, from the gateway's own books: those that another wire gave are
 * in no upstream's. Neighbours: `plan.ts` asks here before it looks for an upstream that keeps it; `session/`
 * has the books. Says what OpenAI says where something cannot be done.
 */
import type { JsonObject } from '../base/json.ts'
import type { ItemsQuery } from '../session/responses.ts'
import type { Draft } from './draft.ts'
import type { ExchangeInput } from './exchange.ts'
import { ownerOf } from './owner.ts'
import type { Refusal } from './plan.ts'
import type { ExchangeReport } from './report.ts'
import { sendWhole } from './send-whole.ts'

/** What is said of it, without anybody being asked. */
export interface Stored {
  readonly stored: JsonObject
}

/** `undefined` where it is not in our books. */
export function findStored(input: ExchangeInput): Stored | Refusal | undefined {
  const { room, endpoint, client, answerId = '' } = input
  const { sessions } = room
  const owner = ownerOf(input)
  const origin = room.origins.find(client.key, answerId)
  if (endpoint.method === 'DELETE') {
    const deleted = sessions.deleteAnswer(owner, answerId)
    // An upstream that has it too is told by the usual way.
    return origin === undefined ? toStored(deleted) : undefined
  }
  if (origin !== undefined && origin.isChanged !== true) return undefined
  const query = new URLSearchParams(input.query)
  if (endpoint.pattern.endsWith('/input_items'))
    return toStored(sessions.inputItems(owner, answerId, toItemsQuery(query)))
  const answer = sessions.findAnswer(owner, answerId)
  if (answer === undefined) return undefined
  if (endpoint.pattern.endsWith('/cancel')) return refuse('Cannot cancel a synchronous response.')
  if (query.get('stream') === 'true')
    return refuse(`Response "${answerId}" cannot be streamed again: ask for it without "stream"`)
  return { stored: answer }
}

export function answerStored(
  input: ExchangeInput,
  draft: Draft,
  { stored }: Stored,
): ExchangeReport {
  const body = Buffer.from(JSON.stringify(stored))
  sendWhole(input, draft, { status: 200, headers: { 'content-type': 'application/json' }, body })
  return draft.finish({ outcome: 'done', status: 200 })
}

const toStored = (json: JsonObject | undefined): Stored | undefined =>
  json === undefined ? undefined : { stored: json }

function toItemsQuery(query: URLSearchParams): ItemsQuery {
  const limit = query.get('limit')
  return {
    after: query.get('after') ?? undefined,
    limit: limit === null ? undefined : Number(limit),
    order: query.get('order') === 'asc' ? 'asc' : 'desc',
  }
}

const refuse = (message: string): Refusal => ({
  fault: { kind: 'invalid-request', message },
  status: 400,
})
