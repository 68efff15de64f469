/**
 * What the API says: JSON, and errors as `{ "error": { "message" } }` with what to do. Neighbours: `api.ts`. Knows no
 * path.
 */
import type { ServerResponse } from 'node:http'
import type { Visit } from './visit.ts'

export interface Reply {
  readonly status: number
  readonly body: object
  readonly headers?: Readonly<Record<string, string>>
}

export const say = (body: object): Reply => ({ status: 200, body })

export const fail = (
  status: number,
  message: string,
  headers?: Readonly<Record<string, string>>,
): Reply => ({ status, body: { error: { message } }, ...(headers && { headers }) })

export function send({ request, response, id }: Visit, { status, body, headers }: Reply): void {
  if (response.headersSent || response.destroyed) return
  // What was not read must not wait in the socket for the next request.
  request.resume()
  const text = `${JSON.stringify(body)}\n`
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...PRIVATE,
    'x-request-id': id,
    ...(request.complete ? undefined : { connection: 'close' }),
    ...headers,
  })
  response.end(text)
}

/** No cache and no other page gets to see what calls are about. */
const PRIVATE = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}

export function beginEvents(response: ServerResponse, id: string): void {
  response.writeHead(200, {
    'content-type': 'text/event-stream',
    ...PRIVATE,
    'x-accel-buffering': 'no',
    'x-request-id': id,
  })
}
