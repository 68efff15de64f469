/**
 * What the gateway answers itself: who it is, how it is, what it has counted and which models there are.
 * Neighbours: `gateway.ts` has let the client in. Asks an upstream only for its models.
 */
import type { Client } from '../exchange/exchange.ts'
import type { ModelList } from './models.ts'
import { VERSION } from './version.ts'
import type { Visit } from './visit.ts'

/** Paths that need no key: they say nothing that matters. */
export type OpenPath = '/' | '/health' | '/ready'

export const isOpenPath = (path: string): path is OpenPath =>
  path === '/' || path === '/health' || path === '/ready'

const WELCOME = `Sluice ${VERSION} is running.
POST /v1/messages, /v1/chat/completions, /v1/responses; GET /v1/models, /health, /ready, /metrics
With the admin token: /api, and the page, which a browser gets here
`

export function answerOpen(
  visit: Visit,
  path: OpenPath,
  { isClosing, open }: { readonly isClosing: boolean; readonly open: number },
): void {
  visit.request.resume()
  if (path === '/') {
    visit.response.setHeader('vary', 'accept, origin')
    return send(visit, 200, 'text/plain; charset=utf-8', WELCOME)
  }
  const isReady = path === '/health' || !isClosing
  const body = { name: 'sluice', version: VERSION, status: isReady ? 'ok' : 'closing', open }
  send(visit, isReady ? 200 : 503, 'application/json', JSON.stringify(body))
}

export async function answerMetrics(
  visit: Visit,
  metrics: { readonly contentType: string; text(): Promise<string> },
): Promise<void> {
  visit.request.resume()
  send(visit, 200, metrics.contentType, await metrics.text())
}

/** All models, or the one of that name. False when there is none. */
export async function answerModels(
  visit: Visit,
  client: Client,
  { models, model }: { readonly models: ModelList; readonly model: string | undefined },
): Promise<boolean> {
  const { request, response } = visit
  request.resume()
  const left = new AbortController()
  response.on('close', () => left.abort())
  const wire =
    request.headers['anthropic-version'] === undefined ? 'openai-chat' : 'anthropic-messages'
  const ask = { wire, client, headers: request.headers, signal: left.signal } as const
  const body = model === undefined ? await models.list(ask) : await models.find(model, ask)
  if (body === undefined) return false
  send(visit, 200, 'application/json', JSON.stringify(body))
  return true
}

function send({ response, id }: Visit, status: number, type: string, body: string): void {
  response.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-request-id': id,
  })
  response.end(body)
}
