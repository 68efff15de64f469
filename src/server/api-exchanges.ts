/**
 * `/api/exchanges`: what was recorded, one by one and in pages. Neighbours: `api.ts` has let them in, `api-store.ts`
 * has the records. Bodies leave as they were kept, and never as something that a browser would run.
 */
import { nearest } from '../base/nearest.ts'
import type { ExchangeQuery, ExchangeRecord, PageQuery } from '../store/query.ts'
import { BODY_KINDS, type Body, type BodyKind, type StoredVerdict } from '../store/record.ts'
import type { RecordReader } from '../store/store.ts'
import { fail, say, type Reply } from './api-answer.ts'
import type { Handler } from './api-handler.ts'
import type { AskStore } from './api-store.ts'

const MAX_VERDICTS = 1000

export const createExchangeHandlers = (
  askStore: AskStore,
): Readonly<Record<'list' | 'show' | 'body' | 'times' | 'remove' | 'removeMany', Handler>> => ({
  list: ({ values }) =>
    askStore(async ({ store }) => say(await store.list(values as ExchangeQuery & PageQuery))),

  show: ({ params }) =>
    askStore(async ({ store }) => {
      const exchange = await store.find(idOf(params))
      if (exchange === undefined) return notThere()
      return say({ exchange, verdicts: await verdictsOf(store, exchange.id) })
    }),

  body: ({ params }) =>
    askStore(({ store }) =>
      withBody(store, params, ({ body, exchange, kind }) => ({
        status: 200,
        bytes: body.bytes,
        headers: toHeaders(exchange, kind),
      })),
    ),

  times: ({ params }) =>
    askStore(({ store }) => withBody(store, params, ({ body }) => say({ times: body.times }))),

  remove: ({ params }) =>
    askStore(async ({ store }) => {
      // By the id of the record only: a request id may be there twice.
      const removed = await store.remove({ id: idOf(params) })
      return removed === 0 ? notThere() : say({ removed })
    }),

  removeMany: ({ values }) =>
    askStore(async ({ store }) => {
      const { key, before } = values
      if ((key === undefined) === (before === undefined))
        return fail(400, 'Say which: one of "key" and "before", as in ?before=30d')
      const which = typeof key === 'string' ? { key } : { before: Number(before) }
      return say({ removed: await store.remove(which) })
    }),
})

/** What is made of a body, or why there is none. */
async function withBody(
  store: RecordReader,
  params: Readonly<Record<string, string>>,
  toReply: (found: FoundBody) => Reply,
): Promise<Reply> {
  const kind = BODY_KINDS.find((one) => one === params['kind'])
  if (kind === undefined) return wrongKind(params['kind'] ?? '')
  const exchange = await store.find(idOf(params))
  if (exchange === undefined) return notThere()
  const body = await store.body(exchange.id, kind)
  return body === undefined
    ? fail(404, sayMissing(exchange, kind))
    : toReply({ exchange, kind, body })
}

interface FoundBody {
  readonly exchange: ExchangeRecord
  readonly kind: BodyKind
  readonly body: Body
}

export const idOf = (params: Readonly<Record<string, string>>): string => params['id'] ?? ''

/** What was decided in one, in order. */
export async function verdictsOf(
  store: RecordReader,
  exchangeId: string,
): Promise<readonly StoredVerdict[]> {
  const { items } = await store.verdicts({ exchangeId, limit: MAX_VERDICTS, isOldestFirst: true })
  return items
}

export const notThere = (): Reply =>
  fail(404, 'There is no such exchange: it was never recorded, or it was taken away')

function wrongKind(typed: string): Reply {
  const near = nearest(typed, BODY_KINDS)
  const hint = near === undefined ? '' : `; did you mean ${near}?`
  return fail(400, `There is no such body: there are ${BODY_KINDS.join(', ')}${hint}`)
}

function sayMissing({ record, dropped }: ExchangeRecord, kind: BodyKind): string {
  if (dropped.includes(kind))
    return `The ${kind} body was dropped, because there was no room for it at that time`
  if (record === 'metadata')
    return `The ${kind} body was not kept: the gateway records "metadata" only`
  if (kind === 'sent') return 'The upstream got what the client sent: ask for "request"'
  if (kind === 'delivered') return 'What left is what came: ask for "upstream"'
  return `The ${kind} body is not there`
}

/** What may leave under its own name; anything else is just bytes. */
const TYPES: Readonly<Record<string, string>> = {
  'application/json': 'json',
  'text/event-stream': 'sse',
  'application/x-ndjson': 'jsonl',
}

function toHeaders(exchange: ExchangeRecord, kind: BodyKind): Readonly<Record<string, string>> {
  const type = toType(exchange, kind)
  const name = `${exchange.id}.${kind}.${TYPES[type] ?? 'bin'}`.replace(/[^\w.-]/g, '_')
  return {
    'content-type': TYPES[type] === undefined ? 'application/octet-stream' : type,
    'content-disposition': `attachment; filename="${name}"`,
    'content-security-policy': 'sandbox',
  }
}

function toType({ isStream, upstreamHeaders }: ExchangeRecord, kind: BodyKind): string {
  if (kind === 'request' || kind === 'sent') return 'application/json'
  const told = upstreamHeaders['content-type']?.split(';')[0]?.trim().toLowerCase()
  // What was made for the client is in the form that it asked for.
  if (kind === 'delivered' || told === undefined)
    return isStream ? 'text/event-stream' : 'application/json'
  return told
}
