/**
 * The demo behind an HTTP server of its own: a provider without a gateway, for SDKs to be pointed at
 * directly or through one. Neighbours: `upstream.ts` plays bytes that a test names, this one what the
 * demo says. Knows nothing of the gateway.
 */
import { once } from 'node:events'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import type { WireName } from '../../src/event/event.ts'
import { createDemoUpstream } from '../../src/upstream/demo/demo.ts'
import type { DemoUpstreamSettings } from '../../src/upstream/settings.ts'
import type { Upstream, UpstreamRequest } from '../../src/upstream/upstream.ts'
import { WIRE_NAMES } from '../../src/wire/wires.ts'

/** One request as it came. Times are milliseconds since 1970, so that processes can be compared. */
export interface ProviderRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly at: number
  /** When the other side closed before the answer was over. */
  readonly leftAt: number | undefined
  /** The answer is over, or was left. */
  readonly over: Promise<void>
}

export interface DemoProvider {
  /** What Anthropic's SDK is given, and what OpenAI's is. */
  readonly anthropic: string
  readonly openai: string
  readonly requests: readonly ProviderRequest[]
  /** The next request is answered as if it had asked for that model. */
  insteadOnce(model: string): void
  close(): Promise<void>
}

export interface DemoProviderOptions {
  /** Who shows another key gets a 401. */
  readonly key?: string
  /** The script for a request whose model is not one of the demo's, by its body. */
  script?(body: string): string | undefined
}

/** Long enough between two chunks that a client can leave in the middle of `demo-long`. */
const LONG_PACE = 5

export async function startDemoProvider(options: DemoProviderOptions = {}): Promise<DemoProvider> {
  const requests: ProviderRequest[] = []
  const instead: string[] = []
  const quick = createDemoUpstream(demo(0))
  const paced = createDemoUpstream(demo(LONG_PACE))

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const kept = keep(incoming, response)
    requests.push(kept)
    for await (const piece of incoming) kept.body += String(piece)
    const isKnown = options.key === undefined || keyOf(incoming) === options.key
    const model = isKnown ? (instead.shift() ?? options.script?.(kept.body)) : 'demo-auth'
    const body = model === undefined ? kept.body : withModel(kept.body, model)
    const upstream = body.includes('"demo-long"') ? paced : quick
    play(upstream, toRequest(incoming, body), response)
  }

  const server = createServer((incoming, response) => {
    // Whoever leaves while it still asks is told by `leftAt`.
    serve(incoming, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    anthropic: url,
    openai: `${url}/v1`,
    requests,
    insteadOnce: (model) => void instead.push(model),
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

const demo = (pace: number): DemoUpstreamSettings => ({
  kind: 'demo',
  name: 'demo',
  wires: WIRE_NAMES,
  stream: 'client',
  pace,
  limits: { connect: 0, firstByte: 0, idle: 0, total: 0 },
  retry: { attempts: 1, backoff: 0, maxBackoff: 0, maxRetryAfter: 0 },
  breaker: { failures: 0, cooldown: 0 },
})

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] }

function keep(incoming: IncomingMessage, response: ServerResponse): Mutable<ProviderRequest> {
  const kept: Mutable<ProviderRequest> = {
    method: incoming.method ?? '',
    path: incoming.url ?? '',
    headers: incoming.headers,
    body: '',
    at: Date.now(),
    leftAt: undefined,
    over: new Promise((resolve) =>
      response.on('close', () => {
        if (!response.writableFinished) kept.leftAt = Date.now()
        resolve()
      }),
    ),
  }
  return kept
}

function play(upstream: Upstream, request: UpstreamRequest, response: ServerResponse): void {
  const call = upstream.send(request, {
    onHead: (status, headers) => void response.writeHead(status, headers),
    onData(chunk) {
      if (!response.write(chunk)) call.pause()
    },
    onEnd: () => void response.end(),
    onError: () => void response.destroy(),
  })
  response.on('drain', () => call.resume())
  response.on('close', () => call.abort())
}

function toRequest(incoming: IncomingMessage, body: string): UpstreamRequest {
  const { pathname, search } = new URL(incoming.url ?? '/', 'http://provider')
  const wire = wireOf(incoming, pathname)
  return {
    method: incoming.method === 'GET' ? 'GET' : 'POST',
    wire,
    path: wire === 'anthropic-messages' ? pathname : pathname.replace(/^\/v1(?=\/)/, ''),
    query: search,
    headers: {},
    body: body === '' ? undefined : Buffer.from(body),
  }
}

function wireOf({ headers }: IncomingMessage, path: string): WireName {
  if (headers['anthropic-version'] !== undefined) return 'anthropic-messages'
  return path.includes('/responses') ? 'openai-responses' : 'openai-chat'
}

const keyOf = ({ headers }: IncomingMessage): string | undefined =>
  (headers['x-api-key'] as string | undefined) ?? headers.authorization?.replace('Bearer ', '')

const withModel = (body: string, model: string): string =>
  JSON.stringify({ ...(JSON.parse(body) as object), model })
