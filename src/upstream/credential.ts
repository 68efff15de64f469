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
  const dropped =
    apiKey === undefined ? CREDENTIAL_HEADERS : [...CREDENTIAL_HEADERS, ...ACCOUNT_HEADERS]
  const merged = mergeHeaders(without(headers, dropped), settings.headers)
  if (apiKey === undefined || auth === 'none') return merged
  const style = auth === 'auto' ? (wire === 'anthropic-messages' ? 'x-api-key' : 'bearer') : auth
  return { ...without(merged, CREDENTIAL_HEADERS), ...STYLES[style](apiKey) }
}

const without = (headers: Headers, names: readonly string[]): Headers =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)))

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
