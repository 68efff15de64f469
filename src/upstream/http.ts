/**
 * An upstream over the network. One pool of connections per upstream, one call per request, chunks
 * handed on as the parser finds them. Neighbours: `exchange/` gives the request; `credential.ts` puts
 * this upstream's own key on it; `dispatcher.ts` is the way out. Knows no wire's body.
 */
import type { Dispatcher } from 'undici'
import { toOwnHeaders } from './credential.ts'
import { createDispatcher } from './dispatcher.ts'
import { toFailure } from './failure.ts'
import { inflate, type Inflate } from './inflate.ts'
import type { HttpUpstreamSettings } from './settings.ts'
import type {
  Headers,
  RequestBody,
  Upstream,
  UpstreamCall,
  UpstreamRequest,
  UpstreamSink,
} from './upstream.ts'

export interface HttpUpstreamOptions {
  readonly env?: Readonly<Record<string, string | undefined>>
  /** The most bytes that a compressed answer may become. */
  readonly maxInflated?: number
}

export function createHttpUpstream(
  settings: HttpUpstreamSettings,
  options: HttpUpstreamOptions = {},
): Upstream {
  const dispatcher = createDispatcher(settings, options.env ?? process.env)
  const { origin, pathname } = new URL(settings.baseUrl)
  const folder = pathname.replace(/\/+$/, '')
  const maxInflated = options.maxInflated ?? 256 * 1024 * 1024
  let open = 0
  let onIdle = (): void => {}
  const onOver = (): void => {
    open -= 1
    if (open === 0) onIdle()
  }

  return {
    name: settings.name,
    wires: settings.wires,
    send(request, sink) {
      open += 1
      const body = toSent(request.body)
      const call = new Call(settings.name, {
        sink,
        body: body instanceof SentBody ? body : undefined,
        maxInflated,
        onOver,
      })
      const headers = toOwnHeaders(settings, request.wire, request.headers)
      dispatcher.dispatch(
        {
          origin,
          path: folder + request.path + joinQuery(request, settings.query),
          method: request.method,
          headers: (body instanceof SentBody
            ? { ...headers, 'content-length': String(body.length) }
            : headers) as Record<string, string>,
          // What can be gone through it takes too, though its types do not say so.
          body: (body ?? null) as Uint8Array | null,
          // Ours are told apart and can be changed per upstream: `exchange/limits.ts`.
          headersTimeout: 0,
          bodyTimeout: 0,
        },
        call,
      )
      call.sent()
      return call
    },
    async close() {
      if (open > 0) await new Promise<void>((resolve) => (onIdle = resolve))
      // What is left are connections that nobody waits for any more, some of them not even made.
      await dispatcher.destroy()
    },
  }
}

/** With less it is not worth a second way. */
const MIN_PIECES_BYTES = 16 * 1024

const toSent = (body: RequestBody | undefined): Uint8Array | SentBody | undefined =>
  body instanceof Uint8Array
    ? body.length < MIN_PIECES_BYTES
      ? body
      : new SentBody([body])
    : body && new SentBody(body)

/**
 * A body that can be let go of: the pool holds what it was given until the answer is over, and an agent's conversation is large.
 * The other side is told its length.
 */
class SentBody implements Iterable<Uint8Array> {
  readonly length: number
  private pieces: readonly Uint8Array[]

  constructor(pieces: readonly Uint8Array[]) {
    let length = 0
    for (const piece of pieces) length += piece.length
    this.length = length
    this.pieces = pieces
  }

  /** Whoever is under way goes on to the end. */
  [Symbol.iterator](): Iterator<Uint8Array> {
    return this.pieces[Symbol.iterator]()
  }

  letGo(): void {
    this.pieces = []
  }
}

/** The client's query, byte for byte, without what the config says too; then that of the config. */
function joinQuery({ query }: UpstreamRequest, own: Readonly<Record<string, string>>): string {
  if (Object.keys(own).length === 0) return query
  const parts = query.length > 1 ? query.slice(1).split('&') : []
  const kept = parts.filter((part) => !Object.hasOwn(own, nameOf(part)))
  return `?${[...kept, new URLSearchParams(own).toString()].join('&')}`
}

/** However it is spelled: `api%2Dversion` is `api-version`. The mark keeps a `?` of the part's own. */
function nameOf(part: string): string {
  const [name = ''] = new URLSearchParams(`&${part}`).keys()
  return name
}

interface CallOptions {
  readonly sink: UpstreamSink
  /** What it sends, if that is so large that it is let go. */
  readonly body: SentBody | undefined
  readonly maxInflated: number
  /** Told once: answered, failed or aborted. */
  onOver(): void
}

/** A class, and not functions around what they share: every exchange has one, for as long as its stream takes. */
class Call implements UpstreamCall, Dispatcher.DispatchHandler {
  private readonly name: string
  private readonly options: CallOptions
  private sink: UpstreamSink | undefined
  private controller: Dispatcher.DispatchController | undefined
  private unpacking: Inflate | undefined
  private isPaused = false
  private isSent = false
  private hasHead = false

  constructor(name: string, options: CallOptions) {
    this.name = name
    this.options = options
    this.sink = options.sink
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller
    if (this.sink === undefined) controller.abort(new Error('The client left'))
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    // An informational answer comes before the real one.
    if (status < 200 || this.sink === undefined) return
    this.hasHead = true
    this.options.body?.letGo()
    // They were read: as long as they are there, so is all that was read from the connection with them.
    controller.rawHeaders = null
    const own = toHeaders(headers)
    const encoding = own['content-encoding']
    if (encoding !== undefined && encoding !== 'identity')
      this.sink = this.unpacking = inflate({
        encoding,
        sink: this.sink,
        maxBytes: this.options.maxInflated,
        name: this.name,
        abort: () => this.abort(),
      })
    this.sink.onHead(status, own)
    if (this.isPaused) this.controller?.pause()
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.sink?.onData(chunk)
  }

  onResponseEnd(): void {
    this.release()?.onEnd()
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    const last = this.release()
    const failure = toFailure(this.name, error, this.hasHead)
    const tell = (): void => last?.onError(failure)
    // A request that cannot be sent at all fails before `send` has returned.
    if (this.isSent) tell()
    else queueMicrotask(tell)
  }

  sent(): void {
    this.isSent = true
  }

  pause(): void {
    this.isPaused = true
    this.unpacking?.pause()
    this.controller?.pause()
  }

  resume(): void {
    this.isPaused = false
    this.unpacking?.resume()
    this.controller?.resume()
  }

  abort(): void {
    // What came whole may still be unpacked, for nobody.
    this.unpacking?.stop()
    if (this.release() !== undefined) this.controller?.abort(new Error('The client left'))
  }

  private release(): UpstreamSink | undefined {
    const last = this.sink
    this.sink = undefined
    if (last !== undefined) this.options.onOver()
    return last
  }
}

function toHeaders(raw: Readonly<Record<string, string | string[] | undefined>>): Headers {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(raw)) {
    if (value !== undefined)
      headers[name.toLowerCase()] = typeof value === 'string' ? value : value.join(', ')
  }
  return headers
}
