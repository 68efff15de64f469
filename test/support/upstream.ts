/**
 * A real HTTP server on loopback that plays a provider: it keeps every request as it came and answers
 * with the bytes, the cuts, the pauses and the accidents that a test asks for. Neighbours:
 * `upstream-reply.ts` is what an answer may be, `raw-client.ts` the other end. Knows nothing of ours.
 */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { playReply, type Reply } from './upstream-reply.ts'

/** One request as it came. Times are of `performance.now()`, so that both ends can be compared. */
interface TestRequest {
  readonly method: string
  /** With the query. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** Names and values in turn, spelled and ordered as they came. */
  readonly rawHeaders: readonly string[]
  /** The bytes that have come so far; all of them once an answer was chosen. */
  readonly body: Buffer
  readonly at: number
  /** Body bytes of the answer that the socket has taken. */
  readonly sent: number
  /** The other side closed before the answer was over, and when. */
  readonly aborted: boolean
  readonly closedAt: number | undefined
  /** The answer is over: sent, cut by us, or left by the other side. */
  readonly over: Promise<void>
}

export interface TestUpstream {
  /** Without a slash at the end. Stays the same through `refuse` and `accept`. */
  readonly url: string
  readonly port: number
  readonly requests: readonly TestRequest[]
  /** Connections that are open now. */
  readonly connections: number
  /** The request of that number, from 0, as soon as it has come. */
  request(index: number): Promise<TestRequest>
  /** The next request gets that, the one after it what was said next. */
  next(...replies: readonly Reply[]): void
  /** Every request for which no `next` is left gets that. */
  always(reply: Reply): void
  /** Every request for which no `next` is left is asked about. */
  answer(choose: (request: TestRequest) => Reply | Promise<Reply>): void
  /** Kills all connections and stops listening: new ones are refused. */
  refuse(): Promise<void>
  /** Listens again, on the same port. */
  accept(): Promise<void>
  close(): Promise<void>
}

export interface TestUpstreamOptions {
  /** Speaks TLS with these PEM texts. */
  readonly tls?: { readonly cert: string; readonly key: string }
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] }

export async function startUpstream(options: TestUpstreamOptions = {}): Promise<TestUpstream> {
  const requests: TestRequest[] = []
  const waiting: (() => void)[] = []
  const queue: Reply[] = []
  const sockets = new Set<Socket>()
  let isRefusing = false
  let choose: (request: TestRequest) => Reply | Promise<Reply> = () => NO_REPLY

  const server = options.tls === undefined ? createServer() : createTlsServer({ ...options.tls })
  // A provider keeps idle connections for minutes; a test that waits must not meet Node's 5 s.
  server.keepAliveTimeout = 60_000
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    // Whoever is cut off says so on the socket; the request is told by its `close`.
    socket.on('error', () => {})
  })
  server.on('request', (incoming, response) => {
    const request = toTestRequest(incoming)
    requests.push(request.record)
    for (const wake of waiting.splice(0)) wake()
    response.on('close', () => request.isOver(!response.writableFinished && !isRefusing))
    incoming.on('end', () => {
      void (async () => {
        const reply = queue.shift() ?? (await choose(request.record))
        await playReply(reply, response, {
          onSent: (bytes) => (request.record.sent += bytes),
          onOurEnd: () => request.isOver(false),
        })
      })()
    })
  })

  const listen = async (port: number): Promise<number> => {
    isRefusing = false
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }
  const refuse = async (): Promise<void> => {
    isRefusing = true
    const isClosed = server.listening ? once(server, 'close') : undefined
    server.close()
    for (const socket of sockets) socket.destroy()
    await isClosed
  }
  const port = await listen(0)
  return {
    url: `${options.tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    port,
    requests,
    get connections() {
      return sockets.size
    },
    async request(index) {
      for (;;) {
        const found = requests[index]
        if (found !== undefined) return found
        await new Promise<void>((resolve) => waiting.push(resolve))
      }
    },
    next: (...replies) => void queue.push(...replies),
    always(reply) {
      choose = () => reply
    },
    answer(chooser) {
      choose = chooser
    },
    refuse,
    async accept() {
      await listen(port)
    },
    close: refuse,
  }
}

const NO_REPLY: Reply = { status: 500, body: 'No reply was set for this request' }

function toTestRequest(incoming: IncomingMessage): {
  record: Mutable<TestRequest>
  isOver(isAborted: boolean): void
} {
  const pieces: Buffer[] = []
  incoming.on('data', (piece: Buffer) => pieces.push(piece))
  let resolveOver: () => void = () => {}
  const record: Mutable<TestRequest> = {
    method: incoming.method ?? '',
    path: incoming.url ?? '',
    headers: incoming.headers,
    rawHeaders: incoming.rawHeaders,
    get body() {
      return Buffer.concat(pieces)
    },
    at: performance.now(),
    sent: 0,
    aborted: false,
    closedAt: undefined,
    over: new Promise((resolve) => (resolveOver = resolve)),
  }
  let wasOver = false
  return {
    record,
    isOver(isAborted) {
      if (wasOver) return
      wasOver = true
      record.aborted = isAborted
      if (isAborted) record.closedAt = performance.now()
      resolveOver()
    },
  }
}
