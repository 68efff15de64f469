/**
 * A provider that fails as it is told: a real HTTP server on loopback that speaks all three wires, as streams and as
 * JSON. What it says follows from the request, so that whoever reads it knows what must arrive; what goes wrong is named
 * by the request, by the test, or drawn from a seed. Neighbours: `faulty-upstream-answer.ts` is what it says,
 * `faulty-upstream-faults.ts` what goes wrong, `faulty-upstream-play.ts` how. For tests of clients and gateways.
 */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { isObject, parseObject, toText, type JsonObject } from '../base/json.ts'
import type { WireName } from '../event/event.ts'
import { PLAIN, readFaultyModel, type FaultyAnswer, type Saying } from './faulty-upstream-answer.ts'
import { errorBody, toSteps, type Step } from './faulty-upstream-faults.ts'
import { FAULT_NAMES, type FaultName } from './faulty-upstream-names.ts'
import { play } from './faulty-upstream-play.ts'
import { createSeeded } from './faulty-upstream-seeded.ts'

export interface FaultyUpstreamOptions {
  /** Default 1. The same seed gives the same faults to the same order of requests. */
  readonly seed?: number
  /** What may go wrong with requests that name nothing themselves. Default: everything. */
  readonly faults?: readonly FaultName[]
  /** How many of those meet a fault, from 0 to 1. Default 0.5. */
  readonly share?: number
  /** What is answered to them otherwise: how long, how fast, with how many calls. */
  readonly answer?: Partial<Pick<FaultyAnswer, 'size' | 'calls' | 'pace'>>
  /** Default 0: any that is free. */
  readonly port?: number
  /** Told of each request before it is answered. */
  onRequest?(request: FaultyRequest): void
}

export interface FaultyRequest {
  readonly wire: WireName
  readonly isStream: boolean
  /** As the request said it. */
  readonly model: string
  /** What it is given; `faultyContent` says what a client must read. */
  readonly answer: FaultyAnswer
}

export interface FaultyUpstream {
  /** Without a slash at the end. Every wire is served under it, with `/v1` before its path and without. */
  readonly url: string
  readonly port: number
  /** What the next requests meet that name nothing themselves, before anything is drawn. */
  next(...faults: readonly FaultName[]): void
  readonly counts: FaultyCounts
  /** Closes connections on which nothing is under way. */
  closeIdle(): void
  close(): Promise<void>
}

export interface FaultyCounts {
  readonly requests: number
  /** Answers under way. */
  readonly open: number
  /** Answers that the other side did not wait for. */
  readonly left: number
  readonly connections: number
}

const PATHS: Readonly<Record<string, WireName>> = {
  '/messages': 'anthropic-messages',
  '/chat/completions': 'openai-chat',
  '/responses': 'openai-responses',
}

export async function startFaultyUpstream(
  options: FaultyUpstreamOptions = {},
): Promise<FaultyUpstream> {
  const { seed = 1, faults = FAULT_NAMES.slice(1), share = 0.5 } = options
  const random = createSeeded(seed)
  const queue: FaultName[] = []
  const met = new Map<string, number>()
  const sockets = new Set<Socket>()
  const counts = { requests: 0, open: 0, left: 0, connections: 0 }

  /** The answer for a request that names none. */
  function draw(): FaultyAnswer {
    const drawn = random() < share ? faults[Math.floor(random() * faults.length)] : undefined
    const fault = queue.shift() ?? drawn ?? 'none'
    return { ...PLAIN, ...options.answer, fault, seed: seed + counts.requests }
  }

  /** Whether the fault has been met so often that it is over. */
  function isSpent(model: string, { times }: FaultyAnswer): boolean {
    if (times === 0) return false
    const before = met.get(model) ?? 0
    met.set(model, before + 1)
    return before >= times
  }

  function stepsFor(wire: WireName | undefined, body: JsonObject | undefined): Iterable<Step> {
    if (wire === undefined) return refused('openai-chat', 404, 'There is no such path')
    if (body === undefined) return refused(wire, 400, 'The body must be a JSON object')
    const model = toText(body['model']) ?? ''
    const asked = readFaultyModel(model) ?? draw()
    const answer = isSpent(model, asked) ? { ...asked, fault: 'none' as const } : asked
    const saying = toSaying(wire, model, body)
    options.onRequest?.({ wire, isStream: saying.isStream, model, answer })
    return toSteps(answer, saying)
  }

  const server = createServer((request, response) => {
    counts.requests += 1
    counts.open += 1
    const answer = async (): Promise<void> => {
      const body = await readBody(request)
      const wire = PATHS[(request.url ?? '').replace(/^\/v1(?=\/)|\?.*$/g, '')]
      const how = await play(stepsFor(wire, body), response)
      if (how === 'left') counts.left += 1
      counts.open -= 1
    }
    void answer()
  })
  // A provider keeps idle connections for minutes, and takes as many as come.
  server.keepAliveTimeout = 120_000
  server.on('connection', (socket) => {
    sockets.add(socket)
    counts.connections += 1
    // Whoever is cut off says so on the socket; the answer is told by its `close`.
    socket.on('error', () => {})
    socket.on('close', () => {
      sockets.delete(socket)
      counts.connections -= 1
    })
  })
  const port = await new Promise<number>((resolve, reject) => {
    server.on('error', reject)
    server.listen({ port: options.port ?? 0, host: '127.0.0.1', backlog: 4096 }, () =>
      resolve((server.address() as AddressInfo).port),
    )
  })

  return {
    url: `http://127.0.0.1:${port}`,
    port,
    next: (...names) => void queue.push(...names),
    counts,
    closeIdle: () => server.closeIdleConnections(),
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

/** The JSON object of a body, or `undefined` where there is none, or the other side has left. */
async function readBody(request: IncomingMessage): Promise<JsonObject | undefined> {
  const pieces: Buffer[] = []
  try {
    for await (const piece of request) pieces.push(piece as Buffer)
  } catch {
    return undefined
  }
  return parseObject(Buffer.concat(pieces).toString())
}

function toSaying(wire: WireName, model: string, body: JsonObject): Saying {
  const streamOptions = body['stream_options']
  return {
    wire,
    model,
    isStream: body['stream'] === true,
    includeUsage: isObject(streamOptions) && streamOptions['include_usage'] === true,
  }
}

function refused(wire: WireName, status: number, message: string): readonly Step[] {
  return [
    { type: 'head', status, headers: { 'content-type': 'application/json' } },
    { type: 'write', bytes: errorBody(wire, { kind: 'invalid-request', message }) },
    { type: 'end' },
  ]
}
