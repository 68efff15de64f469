/**
 * What a client may ask for, and where that stands at an upstream. Neighbours: `server/paths.ts` finds
 * the endpoint of a request, `exchange.ts` serves it. What has no line here is refused.
 */
import type { WireName } from '../event/event.ts'

export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** As it is logged; `{id}` stands for a response's id. */
  readonly pattern: string
  readonly wire: WireName
  /**
   * `answer`: a model answers. `about`: something is asked of a model and no answer streams (token
   * counts). `stored`: about an answer that an upstream keeps.
   */
  readonly kind: 'answer' | 'about' | 'stored'
  /** Below the upstream's base URL. */
  readonly path: string
  /** Whether the answer streams whatever the body says. */
  readonly isAlwaysStream?: boolean
}

export const ENDPOINTS: readonly Endpoint[] = [
  {
    method: 'POST',
    pattern: '/v1/messages',
    wire: 'anthropic-messages',
    kind: 'answer',
    path: '/v1/messages',
  },
  {
    method: 'POST',
    pattern: '/v1/messages/stream',
    wire: 'anthropic-messages',
    kind: 'answer',
    path: '/v1/messages',
    isAlwaysStream: true,
  },
  {
    method: 'POST',
    pattern: '/v1/messages/count_tokens',
    wire: 'anthropic-messages',
    kind: 'about',
    path: '/v1/messages/count_tokens',
  },
  {
    method: 'POST',
    pattern: '/v1/chat/completions',
    wire: 'openai-chat',
    kind: 'answer',
    path: '/chat/completions',
  },
  ...responses('POST', '', 'answer'),
  ...responses('POST', '/input_tokens', 'about'),
  ...responses('POST', '/compact', 'about'),
  ...responses('GET', '/{id}', 'stored'),
  ...responses('DELETE', '/{id}', 'stored'),
  ...responses('POST', '/{id}/cancel', 'stored'),
  ...responses('GET', '/{id}/input_items', 'stored'),
]

/** Whether tokens are counted there: never an upstream's business alone. */
export const isCount = ({ kind, pattern }: Endpoint): boolean =>
  kind === 'about' && /\/(?:count_tokens|input_tokens)$/.test(pattern)

/** Whether an answer comes back from there, asked for just now or kept. */
export const tellsAnswer = ({ kind, method, pattern }: Endpoint): boolean =>
  kind === 'answer' ||
  (kind === 'stored' && method !== 'DELETE' && !pattern.endsWith('/input_items'))

function responses(
  method: Endpoint['method'],
  path: string,
  kind: Endpoint['kind'],
): readonly Endpoint[] {
  return [
    {
      method,
      pattern: `/v1/responses${path}`,
      wire: 'openai-responses',
      kind,
      path: `/responses${path}`,
    },
  ]
}
