/**
 * Whose state a request may see: that of its gateway key, else of the credential it carries, else of the one
 * person who uses a gateway without either. Neighbours: `session/` keeps state by this name.
 */
import { hash } from 'node:crypto'
import { CREDENTIAL_HEADERS } from '../upstream/credential.ts'
import type { ExchangeInput } from './exchange.ts'

export function ownerOf({ client, request }: Pick<ExchangeInput, 'client' | 'request'>): string {
  if (client.key !== undefined) return `key ${client.key}`
  for (const name of CREDENTIAL_HEADERS) {
    const value = request.headers[name]
    if (typeof value === 'string' && value !== '')
      return `credential ${hash('sha256', value, 'base64url')}`
  }
  return 'anyone'
}
