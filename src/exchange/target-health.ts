/**
 * How an upstream does, for people who look: what it answers now, when it last did well and when not. Neighbours:
 * `target.ts` has one for each upstream, `attempts.ts` tells it how requests went, `server/api-health.ts` shows it. What
 * decides whether it is asked is the circuit, and not this. Keeps no content: of a failure only words of ours.
 */
import type { FaultKind } from '../event/fault.ts'
import type { Upstream, UpstreamCall } from '../upstream/upstream.ts'
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
        let isOpen = true
        const over = (): void => {
          if (isOpen) open -= 1
          isOpen = false
        }
        const call: UpstreamCall = upstream.send(request, {
          onHead: sink.onHead,
          onData: sink.onData,
          onEnd() {
            over()
            sink.onEnd()
          },
          onError(failure) {
            over()
            sink.onError(failure)
          },
        })
        open += 1
        return {
          pause: () => call.pause(),
          resume: () => call.resume(),
          abort() {
            over()
            call.abort()
          },
        }
      },
    }),
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
