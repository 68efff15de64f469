/**
 * What a socket or a parser threw, to a sentence that is safe to tell: it names the upstream as the
 * config does, and no address. Neighbours: `http.ts`. The cause goes along for the log.
 */
import { errors } from 'undici'
import type { UpstreamFailure } from './upstream.ts'

type Words = readonly [kind: UpstreamFailure['kind'], isBeforeRequest: boolean, what: string]

const BEFORE = true

const KNOWN: Readonly<Record<string, Words>> = {
  ECONNREFUSED: ['internal', BEFORE, 'it refused the connection'],
  ENOTFOUND: ['internal', BEFORE, 'its host name is not known'],
  EAI_AGAIN: ['internal', BEFORE, 'its host name could not be looked up'],
  EHOSTUNREACH: ['internal', BEFORE, 'its host cannot be reached'],
  ENETUNREACH: ['internal', BEFORE, 'its network cannot be reached'],
  UND_ERR_CONNECT_TIMEOUT: ['timeout', BEFORE, 'it did not accept the connection in time'],
  ETIMEDOUT: ['timeout', BEFORE, 'it did not accept the connection in time'],
  UND_ERR_PRX_TLS: ['internal', BEFORE, 'the proxy did not let the connection through'],
  UND_ERR_ABORTED: ['internal', BEFORE, 'the proxy did not let the connection through'],
  ECONNRESET: ['cut', false, 'it closed the connection'],
  EPIPE: ['cut', false, 'it closed the connection'],
  UND_ERR_SOCKET: ['cut', false, 'it closed the connection'],
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: ['cut', false, 'it sent less than it announced'],
  UND_ERR_HEADERS_OVERFLOW: ['bad-stream', false, 'its headers are too large'],
  UND_ERR_DESTROYED: ['internal', BEFORE, 'the gateway is shutting down'],
  UND_ERR_CLOSED: ['internal', BEFORE, 'the gateway is shutting down'],
}

/** Codes of certificates that do not check out. */
const CERTIFICATE = /^(?:CERT_|ERR_TLS_CERT|ERR_SSL|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/

/** `hasHead`: its answer had begun. */
export function toFailure(name: string, error: unknown, hasHead = false): UpstreamFailure {
  const code = codeOf(error)
  const [kind, isBeforeRequest, what] = wordsFor(code)
  const told = code === '' ? what : `${what} (${code})`
  return {
    kind,
    isBeforeRequest,
    isStale: !hasHead && wasKept(error),
    message: `Upstream "${name}" could not answer: ${told}`,
    cause: error,
  }
}

/** undici says what had come over a connection that the other side closed: of a new one, nothing. */
function wasKept(error: unknown): boolean {
  if (!(error instanceof errors.SocketError)) return false
  return (error.socket?.bytesRead ?? 0) > 0
}

function wordsFor(code: string): Words {
  const known = Object.hasOwn(KNOWN, code) ? KNOWN[code] : undefined
  if (known !== undefined) return known
  if (CERTIFICATE.test(code))
    return ['internal', BEFORE, 'its certificate is not trusted; name its authority with "ca"']
  // llhttp's codes, all of them about an answer that is no HTTP.
  if (code.startsWith('HPE_')) return ['bad-stream', false, 'it does not speak HTTP']
  return ['cut', false, 'the connection failed']
}

/** Sockets that were tried in turn fail as one error with several inside. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return ''
  if ('code' in error && typeof error.code === 'string' && error.code !== 'ERR_UNHANDLED')
    return error.code
  // undici's parser names no code for the first bytes it cannot read.
  if (error.name === 'HTTPParserError') return 'HPE_INVALID'
  if (error instanceof AggregateError) return codeOf(error.errors[0])
  return error.cause === undefined ? '' : codeOf(error.cause)
}
