/**
 * Which HTTP status says a fault, and the other way round. Neighbours: whoever answers a client before
 * its answer has begun.
 */
import type { EventOf, WireName } from '../event/event.ts'
import type { FaultKind, StreamFault } from '../event/fault.ts'

const STATUS: Readonly<Record<FaultKind, number>> = {
  'invalid-request': 400,
  'context-too-long': 400,
  'content-policy': 400,
  authentication: 401,
  billing: 402,
  permission: 403,
  'not-found': 404,
  conflict: 409,
  'too-large': 413,
  'rate-limit': 429,
  internal: 500,
  'bad-stream': 502,
  cut: 502,
  overloaded: 503,
  timeout: 504,
}

export function toStatus(kind: FaultKind, wire: WireName): number {
  // Their own numbers: each vendor's clients act on these.
  if (wire === 'anthropic-messages' && kind === 'overloaded') return 529
  if (wire !== 'anthropic-messages' && kind === 'billing') return 429
  return STATUS[kind]
}

/** What kind of fault a status is, where the body says nothing better. */
export function toKind(status: number): FaultKind {
  if (status === 529 || status === 503) return 'overloaded'
  if (status === 402) return 'billing'
  const [kind] = Object.entries(STATUS).find(([, own]) => own === status) ?? []
  return (kind as FaultKind | undefined) ?? (status >= 500 ? 'internal' : 'invalid-request')
}

/** Kinds that may not come again: the same request may succeed later or elsewhere. */
export const isPassing = (kind: FaultKind): boolean =>
  kind === 'rate-limit' ||
  kind === 'overloaded' ||
  kind === 'internal' ||
  kind === 'timeout' ||
  kind === 'cut' ||
  kind === 'bad-stream'

/** An end without a finish. */
export const CUT: StreamFault = {
  kind: 'cut',
  message: 'The upstream ended before its answer was finished',
}

/** What a client is told of an error of ours. */
export const toActedFault = (error: unknown): StreamFault => ({
  kind: 'internal',
  message:
    error instanceof Error && error.name === 'SluiceError'
      ? error.message
      : 'The gateway could not finish this answer',
})

/**
 * What the decoder found out is for us to say, and no frame of the upstream's says it: a copy is written, where the event
 * itself would leave as it came. That it was cut is all that the decoder can say; `cause` is why, where that is known.
 */
export function toSaid(event: EventOf<'error'>, cause: StreamFault | undefined): EventOf<'error'> {
  const { kind } = event.error
  if (kind === 'cut') return { ...event, error: cause ?? event.error }
  return kind === 'bad-stream' ? { ...event } : event
}
