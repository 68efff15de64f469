/**
 * What the API says: JSON, bytes that were recorded, and errors as `{ "error": { "message" } }` with what to do.
 * Neighbours: `api.ts`. Knows no path.
 */
import type { ServerResponse } from 'node:http'
import type { Visit } from './visit.ts'

export type Reply = {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
} & ({ readonly body: object } | { readonly bytes: Uint8Array })

export const say = (body: object): Reply => ({ status: 200, body })

export const fail = (
  status: number,
  message: string,
  headers?: Readonly<Record<string, string>>,
): Reply => ({ status, body: { error: { message } }, ...(headers && { headers }) })

export function send({ request, response, id }: Visit, reply: Reply): void {
  if (response.headersSent || response.destroyed) return
  // What was not read must not wait in the socket for the next request.
  request.resume()
  const content = 'bytes' in reply ? reply.bytes : Buffer.from(`${JSON.stringify(reply.body)}\n`)
  response.writeHead(reply.status, {
    'content-type': 'application/json',
    'content-length': content.byteLength,
    ...PRIVATE,
    'x-request-id': id,
    ...(request.complete ? undefined : { connection: 'close' }),
    ...reply.headers,
  })
  response.end(content)
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
