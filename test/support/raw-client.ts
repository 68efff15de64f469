/**
 * An HTTP client that hides nothing: every piece of the body as it arrived and when, and a hand on the
 * socket to leave, to read slowly or to send in odd pieces. `sendRaw` writes text that need not be HTTP.
 * Neighbours: `upstream.ts` is the other end. Knows nothing of ours.
 */
import {
  request as httpRequest,
  type Agent,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** Times are of `performance.now()`. */
interface RawPiece {
  readonly bytes: Buffer
  readonly at: number
}

export interface RawAnswer {
  /** 0 when there was no head. */
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly rawHeaders: readonly string[]
  /** The body as it arrived, without the chunked framing. */
  readonly pieces: readonly RawPiece[]
  readonly body: Buffer
  readonly startedAt: number
  readonly headAt: number | undefined
  readonly endedAt: number
  /** `whole`: a proper end. `cut`: the server broke off. `left`: we did. `failed`: no connection. */
  readonly end: 'whole' | 'cut' | 'left' | 'failed'
  readonly error: Error | undefined
}

export interface RawRequest {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  /** Several pieces are sent one by one, with `pace` between them and chunked framing. */
  readonly body?: string | Uint8Array | readonly (string | Uint8Array)[]
  readonly pace?: number
  /** Closes the connection after so many body bytes; 0: as soon as the request is sent. */
  readonly leaveAfter?: number
  /** The pause after each piece that was read. */
  readonly readPause?: number
  /** To keep connections; without one each request has its own. */
  readonly agent?: Agent
}

/** One request on its way. */
export interface RawCall {
  /** Never rejects: what went wrong is in it. */
  readonly answer: Promise<RawAnswer>
  /** What has arrived so far. */
  readonly pieces: readonly RawPiece[]
  /** So many body bytes have arrived, or the answer is over. */
  received(bytes: number): Promise<void>
  pause(): void
  resume(): void
  leave(): void
}

export function sendRequest(url: string, request: RawRequest = {}): RawCall {
  const pieces: RawPiece[] = []
  const startedAt = performance.now()
  let received = 0
  let isPaused = false
  let hasLeft = false
  let isOver = false
  const wakes: (() => void)[] = []
  let response: IncomingMessage | undefined
  let headAt: number | undefined
  const outgoing = httpRequest(url, {
    method: request.method ?? 'POST',
    headers: request.headers as Record<string, string | string[]> | undefined,
    agent: request.agent ?? false,
  })
  const leave = (): void => {
    hasLeft = true
    outgoing.destroy()
  }
  const wakeAll = (): void => {
    for (const wake of wakes.splice(0)) wake()
  }

  const answer = new Promise<RawAnswer>((resolve) => {
    const finish = (end: RawAnswer['end'], error?: Error): void => {
      resolve({
        status: response?.statusCode ?? 0,
        headers: response?.headers ?? {},
        rawHeaders: response?.rawHeaders ?? [],
        pieces,
        body: Buffer.concat(pieces.map(({ bytes }) => bytes)),
        startedAt,
        headAt,
        endedAt: performance.now(),
        end: hasLeft && end !== 'whole' ? 'left' : end,
        error: hasLeft ? undefined : error,
      })
      isOver = true
      wakeAll()
    }
    outgoing.on('error', (error) => finish(response === undefined ? 'failed' : 'cut', error))
    outgoing.on('close', () => finish(response === undefined ? 'failed' : 'cut'))
    outgoing.on('response', (incoming) => {
      response = incoming
      headAt = performance.now()
      incoming.on('error', (error) => finish('cut', error))
      incoming.on('end', () => finish(incoming.complete ? 'whole' : 'cut'))
      incoming.on('data', (bytes: Buffer) => {
        pieces.push({ bytes, at: performance.now() })
        received += bytes.length
        wakeAll()
        if (request.leaveAfter !== undefined && received >= request.leaveAfter) leave()
        else if (request.readPause !== undefined) {
          incoming.pause()
          setTimeout(() => isPaused || incoming.resume(), request.readPause)
        }
      })
      if (isPaused) incoming.pause()
    })
  })

  void sendBody(outgoing, request).then(() => {
    if (request.leaveAfter === 0) leave()
  })
  return {
    answer,
    pieces,
    async received(bytes) {
      while (received < bytes && !isOver) await new Promise<void>((resolve) => wakes.push(resolve))
    },
    pause() {
      isPaused = true
      response?.pause()
    },
    resume() {
      isPaused = false
      response?.resume()
    },
    leave,
  }
}

/** Sends a request and waits for its end. */
export const fetchRaw = (url: string, request?: RawRequest): Promise<RawAnswer> =>
  sendRequest(url, request).answer

async function sendBody(outgoing: ClientRequest, { body, pace }: RawRequest): Promise<void> {
  if (Array.isArray(body)) {
    for (const piece of body as readonly (string | Uint8Array)[]) {
      if (outgoing.destroyed) return
      await new Promise<void>((resolve) => outgoing.write(piece, () => resolve()))
      if (pace !== undefined) await sleep(pace)
    }
    outgoing.end()
    return
  }
  await new Promise<void>((resolve) => {
    outgoing.on('close', resolve)
    outgoing.end(body, resolve)
  })
}

export interface RawTalk {
  /** Everything the server sent. */
  readonly bytes: Buffer
  readonly text: string
  /** When the server closed; `undefined`: it did not in the given time. */
  readonly closedAt: number | undefined
  readonly startedAt: number
}

/** Writes those pieces to a socket and listens until the server closes or the time is over. */
export async function sendRaw(
  url: string,
  pieces: string | Uint8Array | readonly (string | Uint8Array)[],
  { pace = 0, wait = 2000 }: { pace?: number; wait?: number } = {},
): Promise<RawTalk> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  const startedAt = performance.now()
  const received: Buffer[] = []
  let closedAt: number | undefined
  socket.on('data', (bytes: Buffer) => received.push(bytes))
  // A server may close on us while we still send: that is an outcome, not an error.
  socket.on('error', () => {})
  const closed = new Promise<void>((resolve) =>
    socket.on('close', () => {
      closedAt = performance.now()
      resolve()
    }),
  )
  // Half-open: the server's FIN is its close.
  socket.on('end', () => socket.end())
  const list = typeof pieces === 'string' || pieces instanceof Uint8Array ? [pieces] : pieces
  for (const piece of list) {
    if (socket.destroyed) break
    socket.write(piece)
    if (pace > 0) await Promise.race([sleep(pace), closed])
  }
  await Promise.race([closed, sleep(wait, undefined, { ref: false })])
  // Our own close, below, is not the server's.
  const talk = { startedAt, closedAt }
  socket.destroy()
  const bytes = Buffer.concat(received)
  return { ...talk, bytes, text: bytes.toString() }
}
