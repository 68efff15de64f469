/**
 * The request that an upstream gets. Neighbours: `plan.ts` says to whom, `request.ts` changes what routing
 * must change, `headers.ts` has the list of what may cross.
 */
import type { UpstreamRequest } from '../upstream/upstream.ts'
import type { ExchangeInput } from './exchange.ts'
import { toUpstream } from './headers.ts'
import type { Plan } from './plan.ts'
import { changeRequest } from './request.ts'
import type { Target } from './target.ts'
import { writeTraceparent } from './trace-context.ts'

/** What is sent to that upstream: the client's request, but for what routing changes. */
export function toRequest(
  { endpoint, answerId, query, request, client, id, trace }: ExchangeInput,
  plan: Plan,
  target: Target,
  spanId: string,
): UpstreamRequest {
  const { facts, body, route } = plan
  const { settings } = target
  const isStream = settings.stream === 'client' ? plan.wantsStream : settings.stream === 'always'
  const model = route?.as[settings.name]
  const changed =
    body === undefined || facts === undefined
      ? undefined
      : changeRequest(endpoint.wire, body.plain, facts, {
          model,
          isStream: endpoint.kind === 'answer' ? isStream : undefined,
        })
  const isSame = changed === undefined || changed === body?.plain
  const bytes = isSame ? body?.raw : changed
  const hasBody = bytes !== undefined && bytes.length > 0
  return {
    method: endpoint.method,
    wire: endpoint.wire,
    path: answerId === undefined ? endpoint.path : endpoint.path.replace('{id}', answerId),
    query,
    headers: toUpstream(request.headers, {
      withCredential: client.hasOwnCredential && isOwnVendor(plan.first, target),
      own: {
        'x-request-id': id,
        traceparent: writeTraceparent(trace, spanId),
        ...(trace.state === undefined ? {} : { tracestate: trace.state }),
        ...(isSame && body?.encoding !== undefined ? { 'content-encoding': body.encoding } : {}),
      },
    }),
    body: hasBody ? bytes : undefined,
  }
}

/** A client's own credential goes to the first upstream of its route, and never to another vendor. */
function isOwnVendor(first: Target | undefined, target: Target): boolean {
  if (target === first) return true
  return (
    first?.settings.kind === 'http' &&
    target.settings.kind === 'http' &&
    new URL(first.settings.baseUrl).origin === new URL(target.settings.baseUrl).origin
  )
}
