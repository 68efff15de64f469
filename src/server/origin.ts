/**
 * Web pages that the config names may use the gateway: what browsers ask before, and what they want to
 * read after. Neighbours: `access.ts` has refused all others.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Settings } from '../config/settings.ts'

export function allowOrigin(
  { headers: { origin } }: IncomingMessage,
  response: ServerResponse,
  { origins }: Settings,
): void {
  if (origin === undefined || !origins.includes(origin)) return
  response.setHeader('access-control-allow-origin', origin)
  response.setHeader('access-control-expose-headers', '*')
  response.setHeader('vary', 'origin')
}

/** Answers a browser's question whether it may ask. */
export function answerPreflight(
  request: IncomingMessage,
  response: ServerResponse,
  settings: Settings,
): boolean {
  const { origin } = request.headers
  if (request.method !== 'OPTIONS' || origin === undefined || !settings.origins.includes(origin))
    return false
  allowOrigin(request, response, settings)
  response.writeHead(204, {
    'access-control-allow-methods': 'GET, POST, DELETE',
    'access-control-allow-headers': request.headers['access-control-request-headers'] ?? '',
    'access-control-max-age': '600',
  })
  response.end()
  request.resume()
  return true
}
