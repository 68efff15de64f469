/**
 * Whose key goes to an upstream. With a key in the config, that one and no other; with `auth: none`, none;
 * else the request keeps what it carries (`exchange/` has decided whether that is the client's own). Told
 * apart by header, never by how a key begins. Neighbours: `http.ts`.
 */
import type { WireName } from '../event/event.ts'
import type { AuthStyle, HttpUpstreamSettings, UpstreamSettings } from './settings.ts'
import type { Headers } from './upstream.ts'

/** Every header that may carry a credential. */
export const CREDENTIAL_HEADERS = ['authorization', 'x-api-key', 'api-key'] as const

/** They choose among what one account has: with the operator's key that is not for a client to choose. */
const ACCOUNT_HEADERS: readonly string[] = [
  'openai-organization',
  'openai-project',
  'chatgpt-account-id',
  'anthropic-workspace-id',
]

const STYLES: Readonly<Record<Exclude<AuthStyle, 'auto' | 'none'>, (key: string) => Headers>> = {
  bearer: (key) => ({ authorization: `Bearer ${key}` }),
  'x-api-key': (key) => ({ 'x-api-key': key }),
  'api-key': (key) => ({ 'api-key': key }),
}

/** A credential in the header that an upstream wants it in; nothing where none is named. */
export const toCredential = (style: AuthStyle, key: string | undefined): Headers =>
  key === undefined || style === 'auto' || style === 'none' ? {} : STYLES[style](key)

/** Whether a client's own credential may go to that upstream. */
export const takesClientCredential = (settings: UpstreamSettings): boolean =>
  settings.kind === 'http' && settings.apiKey === undefined && settings.auth !== 'none'

/** A client's headers as that upstream gets them: with those of the config, and with whose key it is. */
export function toOwnHeaders(
  settings: HttpUpstreamSettings,
  wire: WireName,
  headers: Headers,
): Headers {
  const { apiKey, auth } = settings
  if (takesClientCredential(settings)) return mergeHeaders(headers, settings.headers)
  const own: Record<string, string> = {}
  // One by one, here and below: an object that is made of another one's entries is slow, and this is done for every request.
  for (const name in headers) {
    const isDropped = isCredential(name) || (apiKey !== undefined && ACCOUNT_HEADERS.includes(name))
    if (!isDropped) own[name] = headers[name] ?? ''
  }
  addHeaders(own, settings.headers)
  if (apiKey === undefined || auth === 'none') return own
  for (const name of CREDENTIAL_HEADERS) if (own[name] !== undefined) delete own[name]
  const style = auth === 'auto' ? (wire === 'anthropic-messages' ? 'x-api-key' : 'bearer') : auth
  return Object.assign(own, STYLES[style](apiKey))
}

const isCredential = (name: string): boolean =>
  (CREDENTIAL_HEADERS as readonly string[]).includes(name)

/** Headers from the config over those of the client; beta names of both are kept. */
export function mergeHeaders(headers: Headers, own: Headers): Headers {
  const merged: Record<string, string> = { ...headers }
  addHeaders(merged, own)
  return merged
}

function addHeaders(to: Record<string, string>, own: Headers): void {
  for (const name in own) {
    const value = own[name] ?? ''
    const lower = name.toLowerCase()
    const before = to[lower]
    to[lower] =
      lower === 'anthropic-beta' && before !== undefined ? joinNames(before, value) : value
  }
}

const joinNames = (...lists: readonly string[]): string =>
  [...new Set(lists.flatMap((list) => list.split(',').map((name) => name.trim())))]
    .filter((name) => name !== '')
    .join(',')
