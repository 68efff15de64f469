/**
 * The socket that clients come to: plain or TLS, with limits on headers and time, and a proper answer for
 * what is no HTTP at all. Neighbours: `gateway.ts` handles the requests.
 */
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { SluiceError } from '../base/sluice-error.ts'
import { isLoopback } from '../config/address.ts'
import type { Settings } from '../config/settings.ts'
import { followConnections } from './connections.ts'

/** How long a client may take for its headers. */
const HEADERS_MS = 30_000
/** Longer than proxies in front keep theirs, so that they close first and not in the middle of a request. */
const KEEP_ALIVE_MS = 75_000

export function createListener(settings: Settings, handle: RequestListener): Server {
  const { limits, tls } = settings
  const options = {
    maxHeaderSize: limits.headers,
    headersTimeout: HEADERS_MS,
    // Bodies have a clock of their own that answers in the client's words; this one is for the rest.
    requestTimeout: limits.requestTime + HEADERS_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    noDelay: true,
  }
  const server =
    tls === undefined
      ? createServer(options, handle)
      : createTlsServer({ ...options, ...tls }, handle)
  followConnections(server, tls !== undefined)
  server.on('clientError', answerBroken)
  // Without a listener, sockets that ask for a tunnel are cut off without a word.
  server.on('connect', (_, socket: Socket) =>
    answer(socket, '405 Method Not Allowed', 'CONNECT is not possible here: this is no proxy'),
  )
  // What else is expected is not ours to promise; the request is answered as any other.
  server.on('checkExpectation', handle)
  return server
}

/** Whoever can reach a gateway without keys can spend the money behind it, and who guesses its token can decide. */
export function refuseOpen({ listen: { host }, keys, admin }: Settings): void {
  if (isLoopback(host)) return
  if (keys.length === 0)
    throw new SluiceError(
      'wrong-use',
      `Cannot listen on ${host} without keys, because others can reach it: make one with "sluice keys new NAME" and put it under "keys"`,
    )
  if (admin.token === undefined)
    throw new SluiceError(
      'wrong-use',
      `Cannot listen on ${host} without an admin token, because others can reach it: put one under "admin" as in { token: "\${SLUICE_TOKEN}" }`,
    )
}

/** New settings with what the socket was opened by: that stays until a restart. */
export const keepListener = (next: Settings, { listen: at, tls, limits }: Settings): Settings => ({
  ...next,
  listen: at,
  tls,
  limits: { ...next.limits, headers: limits.headers, requestTime: limits.requestTime },
})

/** Starts to listen, and says what is wrong when that cannot be. */
export function listen(server: Server, { listen: at }: Settings): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException): void => reject(toListenError(error, at))
    server.once('error', onError)
    server.listen({ host: at.host, port: at.port }, () => {
      server.off('error', onError)
      const address = server.address()
      if (typeof address === 'object' && address !== null) resolve(address)
    })
  })
}

function toListenError(error: NodeJS.ErrnoException, at: Settings['listen']): SluiceError {
  const where = `${at.host}:${at.port}`
  const said: Readonly<Record<string, string>> = {
    EADDRINUSE: 'another program listens there; choose another port with --port',
    EACCES: 'this user may not; choose a port above 1023',
    EADDRNOTAVAIL: 'this machine has no such address',
    ENOTFOUND: 'this machine has no such address',
  }
  const why = said[error.code ?? ''] ?? error.message
  return new SluiceError('wrong-use', `Cannot listen on ${where}: ${why}`, { cause: error })
}

/** No new connections; those with nothing under way are closed at once, the others when theirs is over. */
export async function closeListener(
  server: Server,
  graceMs: number,
  whenIdle: () => Promise<void>,
): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeIdleConnections()
  // A connection is idle once its answer has gone out to the last byte, which nobody tells.
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS)
  const cut = setTimeout(() => server.closeAllConnections(), graceMs)
  await closed
  clearInterval(sweep)
  clearTimeout(cut)
  // Those that were cut off hear of it now; what they say of it is waited for.
  await whenIdle()
}

const SWEEP_MS = 25

const BROKEN: Readonly<Record<string, readonly [status: string, message: string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The request headers are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not arrive in time'],
}

/** What the parser could not read. The format is not known yet, so the body suits clients of all. */
function answerBroken(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const [status, message] = BROKEN[error.code ?? ''] ?? [
    '400 Bad Request',
    'The request is not valid HTTP',
  ]
  answer(socket, status, message)
}

function answer(socket: Socket, status: string, message: string): void {
  // Whoever resets the connection meanwhile has left.
  socket.on('error', () => {})
  const body = JSON.stringify({
    type: 'error',
    error: { type: 'invalid_request_error', message, param: null, code: null },
  })
  const head = `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}`
  socket.end(`${head}\r\nconnection: close\r\n\r\n${body}`)
  // A client that never reads does not keep the socket.
  setTimeout(() => socket.destroy(), 1000).unref()
}
