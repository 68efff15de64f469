/**
 * The vendor's own names, exactly as they spell them: only what we read or write. Neighbours: every
 * file of this folder. Imports nothing of ours but the shape of JSON.
 */
import type { JsonObject } from '../../base/json.ts'

export const NAME = 'anthropic-messages'

export interface UsageJson {
  input_tokens?: number
  cache_creation_input_tokens?: number
  cache_read_input_tokens?: number
  output_tokens: number
  output_tokens_details?: { thinking_tokens: number }
}

export type ContentBlockJson =
  | { type: 'text'; text: string; citations?: null }
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'tool_use'; id: string; name: string; input: JsonObject }

export type DeltaJson =
  | { type: 'text_delta'; text: string }
  | { type: 'thinking_delta'; thinking: string }
  | { type: 'signature_delta'; signature: string }
  | { type: 'input_json_delta'; partial_json: string }
  | { type: 'citations_delta'; citation: JsonObject }

export type StopReasonJson =
  | 'end_turn'
  | 'max_tokens'
  | 'stop_sequence'
  | 'tool_use'
  | 'pause_turn'
  | 'refusal'
  | 'model_context_window_exceeded'
  | 'compaction'

export type ErrorTypeJson =
  | 'invalid_request_error'
  | 'authentication_error'
  | 'billing_error'
  | 'permission_error'
  | 'not_found_error'
  | 'conflict_error'
  | 'request_too_large'
  | 'rate_limit_error'
  | 'api_error'
  | 'timeout_error'
  | 'overloaded_error'
