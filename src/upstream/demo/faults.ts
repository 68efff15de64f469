/**
 * The errors that the demo gives instead of an answer, with the status, headers and words of the provider
 * whose wire it is: clients look for them. Neighbours: `reply.ts`.
 */
import type { WireName } from '../../event/event.ts'
import type { StreamFault } from '../../event/fault.ts'
import type { Headers } from '../upstream.ts'
import type { Asked } from './asked.ts'
import type { FaultPlan } from './plan.ts'

type Kind = FaultPlan['kind'] | 'internal'

/** A fault whose status we know. */
export type DemoFault = StreamFault & { readonly kind: Kind }

export function toFault(kind: FaultPlan['kind'], { wire, inputTokens }: Asked): DemoFault {
  switch (kind) {
    case 'overloaded':
      return { kind, message: 'Overloaded: the demo upstream was asked for an error' }
    case 'rate-limit':
      return { kind, message: 'Rate limit reached for the demo upstream. Please try again in 1s.' }
    case 'authentication':
      return {
        kind,
        message:
          wire === 'anthropic-messages' ? 'invalid x-api-key' : 'Incorrect API key provided: demo',
      }
    case 'context-too-long':
      return { kind, message: TOO_LONG[wire](LIMIT + inputTokens) }
  }
}

/** An error in mid-stream that clients try again after: Codex gives up when an OpenAI wire is overloaded. */
export const toBreak = (wire: WireName): DemoFault => ({
  kind: wire === 'anthropic-messages' ? 'overloaded' : 'internal',
  message: 'The demo upstream breaks off in mid-stream because it was asked to',
})

const LIMIT = 200_000

const TOO_LONG: Readonly<Record<WireName, (tokens: number) => string>> = {
  'anthropic-messages': (tokens) => `prompt is too long: ${tokens} tokens > ${LIMIT} maximum`,
  'openai-chat': (tokens) =>
    `This model's maximum context length is ${LIMIT} tokens. However, your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`,
  'openai-responses': () =>
    'Your input exceeds the context window of this model. Please adjust your input and try again.',
}

export function toStatus(wire: WireName, kind: Kind): { status: number; headers: Headers } {
  const isAnthropic = wire === 'anthropic-messages'
  switch (kind) {
    case 'overloaded':
      return { status: isAnthropic ? 529 : 503, headers: {} }
    case 'rate-limit':
      return { status: 429, headers: { 'retry-after': '1', ...limits(isAnthropic) } }
    case 'authentication':
      return { status: 401, headers: {} }
    case 'internal':
      return { status: 500, headers: {} }
    case 'context-too-long':
      return { status: 400, headers: {} }
  }
}

const limits = (isAnthropic: boolean): Headers =>
  isAnthropic
    ? { 'anthropic-ratelimit-requests-limit': '1', 'anthropic-ratelimit-requests-remaining': '0' }
    : { 'x-ratelimit-limit-requests': '1', 'x-ratelimit-remaining-requests': '0' }
