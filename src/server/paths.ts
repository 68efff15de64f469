/**
 * Which endpoint a request is for. Paths are compared as they were sent, character by character: what
 * is doubled, encoded, in other case or with a slash too many is another path, and there is none.
 * Neighbours: `gateway.ts`; `exchange/endpoint.ts` has the list.
 */
import { nearest } from '../base/nearest.ts'
import type { WireName } from '../event/event.ts'
import { ENDPOINTS, type Endpoint } from '../exchange/endpoint.ts'

/** What the gateway answers itself. */
type OwnPath = '/' | '/health' | '/ready' | '/metrics' | '/v1/models' | '/v1/models/{id}'

export type Found =
  | { readonly type: 'endpoint'; readonly endpoint: Endpoint; readonly answerId?: string }
  | { readonly type: 'own'; readonly path: OwnPath; readonly id?: string }
  /** Something under `/api`, which has its own list. */
  | { readonly type: 'api'; readonly path: string }
  /** A file that belongs to the page, if there is such a one. */
  | { readonly type: 'page'; readonly path: string }
  /** The path is there, for other methods. */
  | { readonly type: 'method'; readonly wire: WireName; readonly allow: readonly string[] }
  | { readonly type: 'unknown'; readonly wire: WireName; readonly message: string }

const OWN: readonly OwnPath[] = ['/', '/health', '/ready', '/metrics', '/v1/models']
const STORED = /^\/v1\/responses\/([A-Za-z0-9_-]{1,128})(\/cancel|\/input_items)?$/
const PAGE = /^\/(?:assets\/|favicon\.(?:svg|ico)$)/
const MODEL = /^\/v1\/models\/([A-Za-z0-9._:@-]{1,128}(?:\/[A-Za-z0-9._:@-]{1,128})?)$/
/** Of all paths, the ones without an id. */
const KNOWN = [...new Set([...ENDPOINTS.map(({ pattern }) => pattern), ...OWN])].filter(
  (path) => !path.includes('{'),
)
const BY_PATTERN = groupByPattern()

function groupByPattern(): Map<string, Endpoint[]> {
  const groups = new Map<string, Endpoint[]>()
  for (const one of ENDPOINTS) groups.set(one.pattern, [...(groups.get(one.pattern) ?? []), one])
  return groups
}

export function findPath(method: string, path: string, hasAnthropicVersion: boolean): Found {
  const stored = BY_PATTERN.has(path) ? null : STORED.exec(path)
  const pattern = stored === null ? path : `/v1/responses/{id}${stored[2] ?? ''}`
  const endpoints = BY_PATTERN.get(pattern)
  if (endpoints !== undefined) {
    const endpoint = endpoints.find((one) => one.method === method)
    const [first] = endpoints
    if (endpoint === undefined && first !== undefined)
      return { type: 'method', wire: first.wire, allow: endpoints.map((one) => one.method) }
    if (endpoint !== undefined)
      return {
        type: 'endpoint',
        endpoint,
        ...(stored?.[1] === undefined ? {} : { answerId: stored[1] }),
      }
  }
  return findOwn(method, path, hasAnthropicVersion)
}

function findOwn(method: string, path: string, hasAnthropicVersion: boolean): Found {
  if (path === '/api' || path.startsWith('/api/')) return { type: 'api', path }
  const wire = guessWire(path, hasAnthropicVersion)
  const isPage = PAGE.test(path)
  const model = MODEL.exec(path)?.[1]
  const own = model === undefined ? OWN.find((one) => one === path) : '/v1/models/{id}'
  if (own === undefined && !isPage)
    return { type: 'unknown', wire, message: sayUnknown(method, path) }
  if (method !== 'GET' && method !== 'HEAD') return { type: 'method', wire, allow: ['GET', 'HEAD'] }
  if (own === undefined) return { type: 'page', path }
  return { type: 'own', path: own, ...(model === undefined ? {} : { id: model }) }
}

/** In whose words a client that asked for nothing we know would like to hear so. */
function guessWire(path: string, hasAnthropicVersion: boolean): WireName {
  if (hasAnthropicVersion || /messages|anthropic/i.test(path)) return 'anthropic-messages'
  return /responses/i.test(path) ? 'openai-responses' : 'openai-chat'
}

function sayUnknown(method: string, path: string): string {
  const shown = path.length > 100 ? `${path.slice(0, 100)}…` : path
  const near = nearest(path.slice(0, 100), KNOWN)
  const hint = near === undefined || near === '/' ? '' : `; did you mean ${near}?`
  return `There is no ${method} ${shown} here${hint}`
}
