/**
 * What a person can say of approvals. Neighbours: `config/` has the same shape and reads it, `desk.ts` and
 * `webhooks.ts` go by it.
 */
import type { Remember } from './ticket.ts'

export interface ApprovalSettings {
  /** How long a person has, in milliseconds. */
  readonly deadline: number
  /** How many may wait at once. */
  readonly max: number
  /** How long a decision holds where the person says nothing of it. */
  readonly remember: Remember
  readonly webhooks: readonly WebhookSettings[]
}

export interface WebhookSettings {
  readonly url: string
  /** Signs what is sent. */
  readonly secret: string | undefined
  /** Whether what it answers may decide. */
  readonly decides: boolean
}

/** Below the five minutes after which Node's own `fetch` gives up on an answer without headers. */
export const JSON_DEADLINE_MS = 240_000

export const APPROVALS: ApprovalSettings = {
  deadline: 300_000,
  max: 1000,
  remember: 'once',
  webhooks: [],
}
