/**
 * Who may come in: no web page that was not named, no host name that is not ours, nobody without a key
 * where there are keys. Neighbours: `gateway.ts` asks before anything is read. Knows no endpoint.
 */
import { hash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { isLoopback } from '../config/address.ts'
import type { KeySettings, Settings } from '../config/settings.ts'
import type { StreamFault } from '../event/fault.ts'
import { CREDENTIAL_HEADERS } from '../upstream/credential.ts'
import { isLoopbackName } from '../upstream/dispatcher.ts'

export type Access =
  | { readonly ok: true; readonly key: KeySettings | undefined; readonly hasOwnCredential: boolean }
  | {
      readonly ok: false
      readonly status: number
      readonly fault: StreamFault
      readonly headers?: Readonly<Record<string, string>>
    }

/** Who is at the door, besides those whose keys are known. */
export interface Door {
  /** Nobody comes in without a key, even if there is none any more. */
  readonly needsKey: boolean
  /** There may be keys that could not be read yet. */
  readonly isUnread: boolean
}

/** Carries the gateway's key where the client's own credential must reach the upstream. */
export const KEY_HEADER = 'x-sluice-key'

/**
 * Whether the request comes from where it may come from; `undefined` when it does. `isPage`: it asks for our own page, to
 * which a link may lead from anywhere.
 */
export function checkSource(
  { headers, rawHeaders }: Pick<IncomingMessage, 'headers' | 'rawHeaders'>,
  settings: Settings,
  isPage = false,
): StreamFault | undefined {
  // Node keeps the first and says nothing; a proxy in front may have believed the other.
  if (countHosts(rawHeaders) > 1)
    return { kind: 'invalid-request', message: 'The request has several Host headers: send one' }
  const host = hostOf(headers.host)
  if (host === undefined || !isOurs(host, settings))
    return {
      kind: 'permission',
      message: 'This host name is not served here: add it under "hosts", or use 127.0.0.1',
    }
  const { origin } = headers
  // With the port: other programs of this machine serve pages too.
  const isSamePage = origin?.replace(/^https?:\/\//, '') === headers.host?.toLowerCase()
  if (origin !== undefined && !isSamePage && !settings.origins.includes(origin))
    return {
      kind: 'permission',
      message: 'Web pages may not use this gateway: add theirs under "origins"',
    }
  const site = headers['sec-fetch-site']
  if (isPage && isVisit(headers)) return undefined
  if (origin === undefined && (site === 'cross-site' || site === 'same-site'))
    return { kind: 'permission', message: 'Other web pages may not use this gateway' }
  return undefined
}

/** Somebody followed a link: the page fills a window, and whoever led there can read nothing of it. */
const isVisit = (headers: IncomingHttpHeaders): boolean =>
  headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document'

function countHosts(rawHeaders: readonly string[]): number {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1
  }
  return count
}

/** The name without its port, in lower case. */
function hostOf(value: string | undefined): string | undefined {
  const name = /^(\[[0-9a-fA-F:.]+\]|[^:/@\s]+)(?::\d+)?$/.exec(value ?? '')?.[1]
  return name?.toLowerCase()
}

function isOurs(host: string, { listen, hosts }: Settings): boolean {
  if (isLoopbackName(host) || hosts.includes(host)) return true
  if (host === listen.host || host === `[${listen.host}]`) return true
  // Beyond loopback every request carries a key, so that a borrowed name gains nothing.
  return !isLoopback(listen.host) && hosts.length === 0
}

export function checkKey(
  headers: IncomingHttpHeaders,
  keys: readonly KeySettings[],
  { needsKey, isUnread }: Door = { needsKey: keys.length > 0, isUnread: false },
): Access {
  if (!needsKey && !isUnread) return { ok: true, key: undefined, hasOwnCredential: true }
  const own = headers[KEY_HEADER]
  const given = typeof own === 'string' ? own : credentialOf(headers)
  if (given === undefined && !needsKey) return UNREAD
  if (given === undefined)
    return deny('This gateway needs a key: send it as "authorization: Bearer …" or "x-api-key"')
  const key = findKey(given, keys)
  if (key === undefined) return isUnread ? UNREAD : deny('This key is not known here')
  return { ok: true, key, hasOwnCredential: typeof own === 'string' && !isRepeated(headers, own) }
}

function credentialOf(headers: IncomingHttpHeaders): string | undefined {
  const bearer = /^Bearer\s+(\S+)$/i.exec(headers.authorization ?? '')?.[1]
  const named = headers['x-api-key'] ?? headers['api-key']
  return bearer ?? (typeof named === 'string' ? named : undefined)
}

/** A client may show the gateway's key in both places; a provider must not see it. */
const isRepeated = (headers: IncomingHttpHeaders, own: string): boolean =>
  CREDENTIAL_HEADERS.some((name) => String(headers[name] ?? '').includes(own))

/** Looks at every key, so that the time it takes tells nothing. */
function findKey(given: string, keys: readonly KeySettings[]): KeySettings | undefined {
  // As digits first: a hash that makes a buffer itself takes three times as long.
  const digest = Buffer.from(hash('sha256', given, 'hex'), 'hex')
  let found: KeySettings | undefined
  for (const key of keys) {
    if (timingSafeEqual(digest, Buffer.from(key.hash, 'hex'))) found = key
  }
  return found
}

/** Not the client's fault, and soon over: it may ask again. */
const UNREAD: Access = {
  ok: false,
  status: 503,
  fault: {
    kind: 'overloaded',
    message:
      'The gateway cannot read its keys at the moment, and lets nobody in whom it does not know: try again in a moment',
  },
  headers: { 'retry-after': '1' },
}

const deny = (message: string): Access => ({
  ok: false,
  status: 401,
  fault: { kind: 'authentication', message },
})
