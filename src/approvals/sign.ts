/**
 * The signature of a webhook, so that its receiver knows who sent it and when. Neighbours: `webhook-call.ts` signs;
 * `docs/policies/approve.md` tells receivers how to check. Knows no ticket.
 */
import { createHmac } from 'node:crypto'

const SIGNATURE_HEADER = 'x-sluice-signature'
const TIMESTAMP_HEADER = 'x-sluice-timestamp'

/** HMAC-SHA256 over the seconds, a dot and the body: an old body cannot be sent again under a new time. */
const sign = (secret: string, seconds: number, body: string): string =>
  `sha256=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`

export const signedHeaders = (
  secret: string | undefined,
  seconds: number,
  body: string,
): Readonly<Record<string, string>> => ({
  [TIMESTAMP_HEADER]: String(seconds),
  ...(secret === undefined ? undefined : { [SIGNATURE_HEADER]: sign(secret, seconds, body) }),
})
