/**
 * How a client spells what this wire has no place for, so that a loss or a problem names the field that the
 * client knows. Neighbours: the `request-*-write.ts` of this folder. Knows names, not their meaning.
 */
import type { WireName } from '../../event/event.ts'

export interface Spelling {
  readonly messages: string
  readonly effort: string
  readonly format: string
  readonly verbosity: string
  readonly logprobs: string
}

const CHAT: Spelling = {
  messages: 'messages',
  effort: 'reasoning_effort',
  format: 'response_format',
  verbosity: 'verbosity',
  logprobs: 'logprobs',
}

const RESPONSES: Spelling = {
  messages: 'input',
  effort: 'reasoning.effort',
  format: 'text.format',
  verbosity: 'text.verbosity',
  logprobs: 'top_logprobs',
}

const MESSAGES: Spelling = {
  ...CHAT,
  effort: 'output_config.effort',
  format: 'output_config.format',
}

export function spellingOf(wire: WireName): Spelling {
  if (wire === 'openai-responses') return RESPONSES
  return wire === 'openai-chat' ? CHAT : MESSAGES
}
