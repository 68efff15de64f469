/**
 * What went wrong in a stream, so that every wire can say it in its own words. Neighbours: `wire/*`
 * read and write it. Knows no wire.
 */
import type { JsonObject } from '../base/json.ts'

export type FaultKind =
  | 'invalid-request'
  | 'context-too-long'
  | 'authentication'
  | 'billing'
  | 'permission'
  | 'not-found'
  | 'conflict'
  | 'too-large'
  | 'rate-limit'
  | 'content-policy'
  | 'internal'
  | 'overloaded'
  | 'timeout'
  /** The upstream spoke, but not in its own grammar. */
  | 'bad-stream'
  /** The upstream stopped before it had finished. */
  | 'cut'

/** The numbers of a context that was too long, as far as the upstream told them, in tokens. */
export interface FaultLimits {
  /** What was sent. */
  readonly prompt?: number
  /** What the model takes: the context window, or the most that a prompt may be. */
  readonly max?: number
  /** What was asked for as output and had to fit in, too. */
  readonly output?: number
}

export interface StreamFault {
  readonly kind: FaultKind
  readonly message: string
  /** The vendor's own code, where it gave one. */
  readonly code?: string
  /** The field of the request that is wrong, where it is one. */
  readonly param?: string
  /** The vendor's own error object, for its own wire. */
  readonly vendor?: JsonObject
  /** Of `context-too-long`: clients compact or ask for less by these. */
  readonly limits?: FaultLimits
  /** How long the upstream asks to wait. */
  readonly retryAfterMs?: number
}
