/**
 * The admin token: who has it may decide, halt and look. Never a client's key, and a client's key is never this.
 * Neighbours: `api.ts` asks, `state-file.ts` keeps one that was made for the commands of the same user.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

export const createAdminToken = (): string => `sla_${randomBytes(32).toString('base64url')}`

/** What was sent as `authorization: Bearer …`. */
export const bearerOf = ({ authorization }: IncomingHttpHeaders): string | undefined =>
  /^Bearer\s+(\S{1,1000})$/i.exec(authorization ?? '')?.[1]

/** Takes the same time whatever was given. */
export const isSameSecret = (given: string, expected: string): boolean =>
  timingSafeEqual(digest(given), digest(expected))

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
