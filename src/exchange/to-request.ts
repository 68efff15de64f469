/**
 * The request that an upstream gets. Neighbours: `way.ts` has the body, `headers.ts` has the list of what may
 * cross.
 */
import type { AuthStyle } from '../upstream/settings.ts'
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
  const own: Record<string, string> = {
    'x-request-id': id,
    traceparent: writeTraceparent(trace, spanId),
  }
  if (trace.state !== undefined) own['tracestate'] = trace.state
  if (way.encoding !== undefined) own['content-encoding'] = way.encoding
  if (!isOwnWire) Object.assign(own, { 'content-type': 'application/json' }, way.headers)
  const path = answerId === undefined ? endpoint.path : endpoint.path.replace('{id}', answerId)
  return {
    method: endpoint.method,
    wire: way.wire.name,
    path: to.path ?? (isOwnWire ? path : PATHS[way.wire.name]),
    // What a client says there it says to its own vendor.
    query: isOwnWire ? query : '',
    headers: toUpstream(request.headers, {
      withCredential: client.hasOwnCredential && isOwnVendor(plan.first, target),
      abroad: isOwnWire ? undefined : styleOf(target),
      own,
    }),
    body: body !== undefined && body.length > 0 ? body : undefined,
  }
}

/**
 * What a client carries is for the vendor of its own wire. To another it goes only where the config says in
 * which header.
 */
const styleOf = ({ settings }: Target): AuthStyle =>
  settings.kind === 'http' && settings.auth !== 'auto' ? settings.auth : 'none'

/** A client's own credential goes to the first upstream of its route, and never to another vendor. */
function isOwnVendor(first: Target | undefined, target: Target): boolean {
  if (target === first) return true
  return (
    first?.settings.kind === 'http' &&
    target.settings.kind === 'http' &&
    new URL(first.settings.baseUrl).origin === new URL(target.settings.baseUrl).origin
  )
}
