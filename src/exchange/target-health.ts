/**
 * How an upstream does, for people who look: what it answers now, when it last did well and when not. Neighbours:
 * `target.ts` has one for each upstream, `attempts.ts` tells it how requests went, `server/api-health.ts` shows it. What
 * decides whether it is asked is the circuit, and not this. Keeps no content: of a failure only words of ours.
 */
import type { FaultKind } from '../event/fault.ts'
import type {
  Headers,
  Upstream,
  UpstreamCall,
  UpstreamFailure,
  UpstreamSink,
} from '../upstream/upstream.ts'
import type { Failed } from './attempted.ts'

export interface TargetHealth {
  /** Requests that it answers now. */
  readonly open: number
  /** Milliseconds since 1970. */
  readonly lastSuccessAt: number | undefined
  readonly lastFailureAt: number | undefined
  readonly lastFailure: string | undefined
  succeeded(): void
  failed(failure: Failed): void
  /** The same upstream, whose requests are counted. */
  count(upstream: Upstream): Upstream
}

export function createTargetHealth(now: () => number = Date.now): TargetHealth {
  let open = 0
  let lastSuccessAt: number | undefined
  let lastFailureAt: number | undefined
  let lastFailure: string | undefined
  const over = (): void => void (open -= 1)
  return {
    get open() {
      return open
    },
    get lastSuccessAt() {
      return lastSuccessAt
    },
    get lastFailureAt() {
      return lastFailureAt
    },
    get lastFailure() {
      return lastFailure
    },
    succeeded() {
      lastSuccessAt = now()
    },
    failed(failure) {
      lastFailureAt = now()
      lastFailure = toWords(failure)
    },
    count: (upstream) => ({
      ...upstream,
      // One that plays recordings knows its wires only when it has read them.
      get wires() {
        return upstream.wires
      },
      send(request, sink) {
        const counted = new Counted(sink, over)
        counted.call = upstream.send(request, counted)
        open += 1
        return counted
      },
    }),
  }
}

/** A call that is counted until it is over. A class: every exchange has one, for as long as its stream takes. */
class Counted implements UpstreamSink, UpstreamCall {
  call!: UpstreamCall
  private readonly sink: UpstreamSink
  private readonly onOver: () => void
  private isOpen = true

  constructor(sink: UpstreamSink, onOver: () => void) {
    this.sink = sink
    this.onOver = onOver
  }

  onHead(status: number, headers: Headers): void {
    this.sink.onHead(status, headers)
  }

  onData(chunk: Buffer): void {
    this.sink.onData(chunk)
  }

  onEnd(): void {
    this.over()
    this.sink.onEnd()
  }

  onError(failure: UpstreamFailure): void {
    this.over()
    this.sink.onError(failure)
  }

  pause(): void {
    this.call.pause()
  }

  resume(): void {
    this.call.resume()
  }

  abort(): void {
    this.over()
    this.call.abort()
  }

  private over(): void {
    if (this.isOpen) this.onOver()
    this.isOpen = false
  }
}

const BROKEN: Partial<Readonly<Record<FaultKind, string>>> = {
  timeout: 'It did not answer in time',
  cut: 'It broke off its answer',
  'bad-stream': 'Its answer could not be read',
}

/** Where nothing came, the sentence is ours; what an upstream says may quote what it was sent. */
function toWords({ fault, status, body, frames, headers }: Failed): string {
  if (body !== undefined || frames !== undefined)
    return `It answered with an error: ${fault.kind}, status ${status}`
  if (Object.keys(headers).length === 0) return fault.message
  return BROKEN[fault.kind] ?? `It failed: ${fault.kind}, status ${status}`
}
