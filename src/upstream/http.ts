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
import type { Headers, Upstream, UpstreamCall, UpstreamRequest, UpstreamSink } from './upstream.ts'

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
  const base = new URL(settings.baseUrl)
  const folder = base.pathname.replace(/\/+$/, '')
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
      const call = createCall(settings.name, { sink, maxInflated, onOver })
      const headers = toOwnHeaders(settings, request.wire, request.headers)
      dispatcher.dispatch(
        {
          origin: base.origin,
          path: folder + request.path + joinQuery(request, settings.query),
          method: request.method,
          headers: headers as Record<string, string>,
          body: request.body ?? null,
          // Ours are told apart and can be changed per upstream: `exchange/limits.ts`.
          headersTimeout: 0,
          bodyTimeout: 0,
        },
        call.handler,
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
  readonly maxInflated: number
  /** Told once: answered, failed or aborted. */
  onOver(): void
}

function createCall(
  name: string,
  { sink: first, maxInflated, onOver }: CallOptions,
): UpstreamCall & { handler: Dispatcher.DispatchHandler; sent(): void } {
  let sink: UpstreamSink | undefined = first
  let controller: Dispatcher.DispatchController | undefined
  let unpacking: Inflate | undefined
  let isPaused = false
  let isSent = false
  let hasHead = false

  return {
    handler: {
      onRequestStart(given) {
        controller = given
        if (sink === undefined) given.abort(new Error('The client left'))
      },
      onResponseStart(_, status, headers) {
        // An informational answer comes before the real one.
        if (status < 200 || sink === undefined) return
        hasHead = true
        const own = toHeaders(headers)
        const encoding = own['content-encoding']
        if (encoding !== undefined && encoding !== 'identity')
          sink = unpacking = inflate({ encoding, sink, maxBytes: maxInflated, name, abort })
        sink.onHead(status, own)
        if (isPaused) controller?.pause()
      },
      onResponseData(_, chunk) {
        sink?.onData(chunk)
      },
      onResponseEnd() {
        release()?.onEnd()
      },
      onResponseError(_, error) {
        const last = release()
        const failure = toFailure(name, error, hasHead)
        const tell = (): void => last?.onError(failure)
        // A request that cannot be sent at all fails before `send` has returned.
        if (isSent) tell()
        else queueMicrotask(tell)
      },
    },
    sent() {
      isSent = true
    },
    pause() {
      isPaused = true
      unpacking?.pause()
      controller?.pause()
    },
    resume() {
      isPaused = false
      unpacking?.resume()
      controller?.resume()
    },
    abort,
  }

  function abort(): void {
    // What came whole may still be unpacked, for nobody.
    unpacking?.stop()
    if (release() !== undefined) controller?.abort(new Error('The client left'))
  }

  function release(): UpstreamSink | undefined {
    const last = sink
    sink = undefined
    if (last !== undefined) onOver()
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
