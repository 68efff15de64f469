/**
 * Whose key goes to an upstream. With a key in the config, that one and no other; without, the request
 * keeps what it carries (`exchange/` has decided whether that is the client's own). Told apart by
 * header, never by how a key begins. Neighbours: `http.ts`.
 */
import type { WireName } from '../event/event.ts'
import type { AuthStyle, HttpUpstreamSettings } from './settings.ts'
import type { Headers } from './upstream.ts'

/** Every header that may carry a credential. */
export const CREDENTIAL_HEADERS = ['authorization', 'x-api-key', 'api-key'] as const

const STYLES: Readonly<Record<Exclude<AuthStyle, 'auto'>, (key: string) => Headers>> = {
  bearer: (key) => ({ authorization: `Bearer ${key}` }),
  'x-api-key': (key) => ({ 'x-api-key': key }),
  'api-key': (key) => ({ 'api-key': key }),
  none: () => ({}),
}

export function applyCredential(
  { apiKey, auth }: HttpUpstreamSettings,
  wire: WireName,
  headers: Headers,
): Headers {
  if (apiKey === undefined) return headers
  const style = auth === 'auto' ? (wire === 'anthropic-messages' ? 'x-api-key' : 'bearer') : auth
  return { ...withoutCredential(headers), ...STYLES[style](apiKey) }
}

function withoutCredential(headers: Headers): Headers {
  const { authorization: _a, 'x-api-key': _x, 'api-key': _k, ...rest } = headers
  return rest
}

/** Headers from the config over those of the client; beta names of both are kept. */
export function mergeHeaders(headers: Headers, own: Headers): Headers {
  const merged: Record<string, string> = { ...headers }
  for (const [name, value] of Object.entries(own)) {
    const lower = name.toLowerCase()
    const before = merged[lower]
    merged[lower] =
      lower === 'anthropic-beta' && before !== undefined ? joinNames(before, value) : value
  }
  return merged
}

const joinNames = (...lists: readonly string[]): string =>
  [...new Set(lists.flatMap((list) => list.split(',').map((name) => name.trim())))]
    .filter((name) => name !== '')
    .join(',')
