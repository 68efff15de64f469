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

export interface StreamFault {
  readonly kind: FaultKind
  readonly message: string
  /** The vendor's own code, where it gave one. */
  readonly code?: string
  /** The vendor's own error object, for its own wire. */
  readonly vendor?: JsonObject
}
