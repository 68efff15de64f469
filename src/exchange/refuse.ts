/**
 * The gateway's own no, in the client's own words. Neighbours: `exchange.ts`, and `server/` for what is
 * refused before there is an exchange.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { StreamFault } from '../event/fault.ts'
import type { Wire } from '../wire/wire.ts'

/** How long a client that is still sending gets to read why it was refused. */
const LINGER_MS = 2000

export interface RefuseTo {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly id: string
}

/** Gives back what the client is told, where it is told. */
export function refuse(
  { request, response, id }: RefuseTo,
  wire: Wire,
  refusal: {
    readonly fault: StreamFault
    readonly status: number
    readonly headers?: Readonly<Record<string, string>>
  },
): string | undefined {
  if (response.headersSent || response.destroyed) return undefined
  const body = JSON.stringify(wire.writeError(refusal.fault))
  const isSending = !request.complete && hasBody(request)
  response.writeHead(refusal.status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'x-request-id': id,
    ...(isSending ? { connection: 'close' } : {}),
    ...refusal.headers,
  })
  if (!isSending) {
    response.end(body)
    return body
  }
  // A socket that is closed with unread bytes is reset, and the client would never see the answer.
  response.write(body)
  request.resume()
  const end = (): void => {
    clearTimeout(timer)
    response.end()
  }
  const timer = setTimeout(end, LINGER_MS)
  request.once('end', end)
  request.once('close', end)
  return body
}

/** When a request is handed over its end is not known yet, also where there is no body to come. */
const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
