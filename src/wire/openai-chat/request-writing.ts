/**
 * What all the writers of one Chat body share: the request, the target, and what is noted on the way.
 * Neighbours: `request-write.ts` makes it, `request-write-*.ts` work with it.
 */
import type { WireName } from '../../event/event.ts'
import type { LossList } from '../../event/loss.ts'
import type { CallNames } from '../../request/call-names.ts'
import type { Profile } from '../../request/profile.ts'
import type { ModelRequest } from '../../request/request.ts'
import type { WriteOptions } from '../../request/write.ts'
import type { Problems } from './request-fields.ts'

export interface Writing {
  readonly request: ModelRequest
  readonly options: WriteOptions
  readonly profile: Profile
  readonly losses: LossList
  readonly problems: Problems
  readonly names: CallNames
  readonly spelling: Spelling
}

/** What the client calls the fields that a loss or a problem speaks of. */
export interface Spelling {
  readonly messages: string
  readonly maxTokens: string
  readonly effort: string
  readonly thinking: string
  readonly format: string
  readonly parallel: string
  readonly verbosity: string
  readonly cacheTtl: string
}

const ANTHROPIC: Spelling = {
  messages: 'messages',
  maxTokens: 'max_tokens',
  effort: 'output_config.effort',
  thinking: 'thinking',
  format: 'output_config.format',
  parallel: 'tool_choice.disable_parallel_tool_use',
  verbosity: 'verbosity',
  cacheTtl: 'cache_control.ttl',
}

const RESPONSES: Spelling = {
  messages: 'input',
  maxTokens: 'max_output_tokens',
  effort: 'reasoning.effort',
  thinking: 'reasoning.effort',
  format: 'text.format',
  parallel: 'parallel_tool_calls',
  verbosity: 'text.verbosity',
  cacheTtl: 'prompt_cache_breakpoint.ttl',
}

export const spellingOf = (wire: WireName): Spelling =>
  wire === 'openai-responses' ? RESPONSES : ANTHROPIC
