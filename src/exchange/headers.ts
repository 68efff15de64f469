/**
 * Which headers cross the gateway. By list: what is not named here stays outside, so that no cookie, no
 * address of a client and no hop-by-hop header ever travels. Neighbours: `exchange.ts`.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { CREDENTIAL_HEADERS, toCredential } from '../upstream/credential.ts'
import type { AuthStyle } from '../upstream/settings.ts'
import type { Headers } from '../upstream/upstream.ts'

const UP = new Set([
  'accept',
  'content-type',
  'user-agent',
  'x-app',
  'originator',
  'session-id',
  'session_id',
  'thread-id',
  'conversation_id',
  'chatgpt-account-id',
  'idempotency-key',
  'http-referer',
  'x-title',
  'x-client-request-id',
  'x-session-affinity',
  'version',
])
const UP_PREFIXES = ['anthropic-', 'openai-', 'x-stainless-', 'x-claude-', 'x-codex-', 'x-openai-']

const DOWN = new Set([
  'content-type',
  'request-id',
  'retry-after',
  'retry-after-ms',
  'x-should-retry',
  'x-models-etag',
  'x-reasoning-included',
  'apim-request-id',
  'x-ms-region',
  'x-ms-client-request-id',
  'cf-ray',
])
const DOWN_PREFIXES = [
  'anthropic-',
  'openai-',
  'x-ratelimit-',
  'ratelimit-',
  'x-codex-',
  'x-openai-',
]

/** Clients send the same few names with every request, so what was found out of one is kept. */
function createList(
  names: ReadonlySet<string>,
  prefixes: readonly string[],
): (name: string) => boolean {
  const known = new Map<string, boolean>()
  return (name) => {
    let isNamed = known.get(name)
    if (isNamed === undefined) {
      isNamed = names.has(name) || prefixes.some((prefix) => name.startsWith(prefix))
      if (known.size < MAX_KNOWN) known.set(name, isNamed)
    }
    return isNamed
  }
}

const MAX_KNOWN = 1000
const goesUp = createList(UP, UP_PREFIXES)
/** What a client says to its own vendor means nothing to another: its beta names, its telemetry. */
const goesAbroad = createList(new Set(['user-agent', 'idempotency-key']), [])
const comesDown = createList(DOWN, DOWN_PREFIXES)

export interface ToUpstreamOptions {
  readonly withCredential: boolean
  /** Set for an upstream that does not speak the client's wire: in which header it wants the credential. */
  readonly abroad?: AuthStyle | undefined
  readonly own: Headers
}

/** What goes along to an upstream. */
export function toUpstream(raw: IncomingHttpHeaders, options: ToUpstreamOptions): Headers {
  const { abroad } = options
  const headers: Record<string, string> = {}
  for (const name in raw) {
    const value = raw[name]
    if (value === undefined || !(abroad === undefined ? goesUp(name) : goesAbroad(name))) continue
    headers[name] = typeof value === 'string' ? value : value.join(', ')
  }
  if (options.withCredential) {
    if (abroad !== undefined) Object.assign(headers, toCredential(abroad, keyOf(raw)))
    else
      for (const name of CREDENTIAL_HEADERS) {
        const value = raw[name]
        if (typeof value === 'string') headers[name] = value
      }
  }
  return Object.assign(headers, { 'accept-encoding': 'identity' }, options.own)
}

/** The credential itself, whichever header carries it. */
function keyOf(raw: IncomingHttpHeaders): string | undefined {
  for (const name of CREDENTIAL_HEADERS) {
    const value = raw[name]
    if (typeof value === 'string' && value !== '') return value.replace(/^bearer\s+/i, '')
  }
  return undefined
}

/** Of an answer that another wire gave: limits of another vendor's account mean nothing here. */
const comesFromAbroad = createList(new Set(['retry-after', 'retry-after-ms', 'x-should-retry']), [])

/** What comes back from one; `isForeign`: from one that does not speak the client's wire. */
export function toClient(raw: Headers, isForeign = false): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const name in raw) {
    const value = raw[name]
    if (value !== undefined && (isForeign ? comesFromAbroad(name) : comesDown(name)))
      headers[name] = value
  }
  const id = raw['x-request-id']
  if (id !== undefined) headers['x-upstream-request-id'] = id
  return headers
}

/** Whether this client takes only events for signs of life: Codex, which says its name in both. */
export const countsEvents = ({ originator, 'user-agent': agent }: IncomingHttpHeaders): boolean =>
  /^codex/i.test(String(originator ?? agent ?? ''))
