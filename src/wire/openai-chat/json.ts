/**
 * The vendor's own names, exactly as they spell them: only what we read or write. Neighbours: every
 * file of this folder. Imports nothing of ours.
 */
export const NAME = 'openai-chat'

export interface UsageJson {
  prompt_tokens: number
  completion_tokens: number
  total_tokens: number
  prompt_tokens_details: { cached_tokens: number; cache_write_tokens?: number }
  completion_tokens_details: { reasoning_tokens: number }
}

export type FinishReasonJson = 'stop' | 'length' | 'tool_calls' | 'content_filter'

interface ToolCallJson {
  index: number
  id?: string
  type?: 'function' | 'custom'
  function?: { name?: string; arguments?: string }
  custom?: { name?: string; input?: string }
}

export interface DeltaJson {
  role?: 'assistant'
  content?: string | null
  refusal?: string
  reasoning_content?: string
  reasoning_details?: readonly object[]
  tool_calls?: readonly ToolCallJson[]
  annotations?: readonly object[]
  executed_tools?: readonly object[]
}
