/**
 * The contract of an upstream: a way to a provider. `http.ts` is one over the network, `demo/` one
 * inside this process. Neighbours: `exchange/` sends requests and is told what comes back, in calls and
 * not in promises: an answer has hundreds of chunks. Knows no client and no policy.
 */
import type { FaultKind } from '../event/fault.ts'
import type { WireName } from '../event/event.ts'

/** Names in lower case. A name that came more than once has its values joined with a comma. */
export type Headers = Readonly<Record<string, string>>

export interface UpstreamRequest {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** The wire that is spoken: an upstream may know several. */
  readonly wire: WireName
  /** Below the base URL, with a slash first: `/v1/messages`, `/chat/completions`. */
  readonly path: string
  /** The query with its question mark, or nothing. */
  readonly query: string
  /** All but the upstream's own credential and extra headers. */
  readonly headers: Headers
  readonly body: RequestBody | undefined
}

/** In one piece, or in several: a large one came so. */
export type RequestBody = Uint8Array | readonly Uint8Array[]

export const bytesOf = (body: RequestBody): Uint8Array =>
  body instanceof Uint8Array ? body : Buffer.concat(body)

/** What went wrong before or in place of an answer. */
export interface UpstreamFailure {
  readonly kind: Extract<FaultKind, 'timeout' | 'cut' | 'bad-stream' | 'internal'>
  /** Safe to tell the client: no address, no credential. */
  readonly message: string
  /** Whether nothing was sent that the upstream could have acted on. */
  readonly isBeforeRequest: boolean
  /** Whether a connection that had served others before was closed under this request: a new one may do at once. */
  readonly isStale?: boolean
  readonly cause?: unknown
}

/**
 * Takes an answer as it comes: `onHead`, then `onData`s, then `onEnd`; or `onError` at any time, last.
 * Nothing is told before `send` has returned.
 */
export interface UpstreamSink {
  onHead(status: number, headers: Headers): void
  /** The chunk is the sink's to keep. */
  onData(chunk: Buffer): void
  onEnd(): void
  onError(failure: UpstreamFailure): void
}

/** One request on its way. After `abort` the sink hears nothing more. */
export interface UpstreamCall {
  pause(): void
  resume(): void
  abort(): void
}

export interface Upstream {
  readonly name: string
  /** The wires it speaks, the first by preference. */
  readonly wires: readonly WireName[]
  send(request: UpstreamRequest, sink: UpstreamSink): UpstreamCall
  /** Resolves when it can answer, for those that must read something first; rejects where they cannot. */
  ready?(): Promise<void>
  /** No new requests; resolves once those under way are over. */
  close(): Promise<void>
}
