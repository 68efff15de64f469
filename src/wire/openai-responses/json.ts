/**
 * The vendor's own names, exactly as they spell them: only what we read or write. Neighbours: every
 * file of this folder. Imports nothing of ours.
 */
export const NAME = 'openai-responses'

export interface UsageJson {
  input_tokens: number
  input_tokens_details: { cached_tokens: number; cache_write_tokens?: number }
  output_tokens: number
  output_tokens_details: { reasoning_tokens: number }
  total_tokens: number
}

export type PartJson =
  | {
      type: 'output_text'
      text: string
      annotations: readonly object[]
      logprobs: readonly object[]
    }
  | { type: 'refusal'; refusal: string }
