/**
 * The request that an upstream gets. Neighbours: `way.ts` has the body, `headers.ts` has the list of what may
 * cross.
 */
import type { UpstreamRequest } from '../upstream/upstream.ts'
import type { ExchangeInput } from './exchange.ts'
import { toUpstream } from './headers.ts'
import type { Plan } from './plan.ts'
import type { Target } from './target.ts'
import { writeTraceparent } from './trace-context.ts'
import { PATHS, type Way } from './way.ts'

/** `path`: where, if it is not where the client asked. */
export function toRequest(
  { endpoint, answerId, query, request, client, id, trace }: ExchangeInput,
  plan: Plan,
  to: { readonly target: Target; readonly way: Way; readonly path?: string | undefined },
  spanId: string,
): UpstreamRequest {
  const { target, way } = to
  const { body } = way
  const isOwnWire = way.wire.name === endpoint.wire
  const path = answerId === undefined ? endpoint.path : endpoint.path.replace('{id}', answerId)
  return {
    method: endpoint.method,
    wire: way.wire.name,
    path: to.path ?? (isOwnWire ? path : PATHS[way.wire.name]),
    // What a client says there it says to its own vendor.
    query: isOwnWire ? query : '',
    headers: toUpstream(request.headers, {
      withCredential: client.hasOwnCredential && isOwnVendor(plan.first, target),
      foreignWire: isOwnWire ? undefined : way.wire.name,
      own: {
        'x-request-id': id,
        traceparent: writeTraceparent(trace, spanId),
        ...(trace.state === undefined ? {} : { tracestate: trace.state }),
        ...(way.encoding === undefined ? {} : { 'content-encoding': way.encoding }),
        ...(isOwnWire ? {} : { 'content-type': 'application/json' }),
        ...way.headers,
      },
    }),
    body: body !== undefined && body.length > 0 ? body : undefined,
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
