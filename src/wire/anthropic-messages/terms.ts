/**
 * The vendor's words for ends, costs and errors, and ours, both ways: one table each, so that a new
 * word of ours asks for its translation at compile time. Neighbours: decode, encode and answer.
 */
import { toCount, toObject, toText, type JsonObject } from '../../base/json.ts'
import type { FaultKind, StreamFault } from '../../event/fault.ts'
import type { FinishReason } from '../../event/finish.ts'
import { toUsage, type Usage } from '../../event/usage.ts'
import { readMessage, toFault } from '../fault-words.ts'
import type { ErrorTypeJson, StopReasonJson, UsageJson } from './json.ts'

const FROM_STOP_REASON: Readonly<Record<StopReasonJson, FinishReason>> = {
  end_turn: 'stop',
  max_tokens: 'length',
  stop_sequence: 'stop-sequence',
  tool_use: 'tool-calls',
  pause_turn: 'pause',
  refusal: 'refusal',
  model_context_window_exceeded: 'context-full',
  compaction: 'compaction',
}

const TO_STOP_REASON: Readonly<Record<FinishReason, StopReasonJson>> = {
  stop: 'end_turn',
  'stop-sequence': 'stop_sequence',
  'tool-calls': 'tool_use',
  length: 'max_tokens',
  'context-full': 'model_context_window_exceeded',
  refusal: 'refusal',
  'content-filter': 'refusal',
  pause: 'pause_turn',
  compaction: 'compaction',
  other: 'end_turn',
}

export const readStopReason = (word: string): FinishReason =>
  Object.hasOwn(FROM_STOP_REASON, word) ? FROM_STOP_REASON[word as StopReasonJson] : 'other'

/** A client that is told `tool_use` waits for a tool, so the word must agree with what was delivered. */
export function writeStopReason(reason: FinishReason, hasToolCall: boolean): StopReasonJson {
  const word = TO_STOP_REASON[reason]
  if (word === 'end_turn' && hasToolCall) return 'tool_use'
  return word === 'tool_use' && !hasToolCall ? 'end_turn' : word
}

export function readUsage(json: unknown): Usage | undefined {
  const usage = toObject(json)
  if (usage === undefined) return undefined
  return toUsage({
    inputTokens: toCount(usage['input_tokens']),
    cacheReadTokens: toCount(usage['cache_read_input_tokens']),
    cacheWriteTokens: toCount(usage['cache_creation_input_tokens']),
    outputTokens: toCount(usage['output_tokens']),
    reasoningTokens: toCount(toObject(usage['output_tokens_details'])?.['thinking_tokens']),
  })
}

export function writeUsage(usage: Usage | undefined): UsageJson {
  return {
    input_tokens: usage?.inputTokens ?? 0,
    cache_creation_input_tokens: usage?.cacheWriteTokens ?? 0,
    cache_read_input_tokens: usage?.cacheReadTokens ?? 0,
    output_tokens: usage?.outputTokens ?? 0,
    ...(usage?.reasoningTokens === undefined
      ? {}
      : { output_tokens_details: { thinking_tokens: usage.reasoningTokens } }),
  }
}

const FROM_ERROR_TYPE: Readonly<Record<ErrorTypeJson, FaultKind>> = {
  invalid_request_error: 'invalid-request',
  authentication_error: 'authentication',
  billing_error: 'billing',
  permission_error: 'permission',
  not_found_error: 'not-found',
  conflict_error: 'conflict',
  request_too_large: 'too-large',
  rate_limit_error: 'rate-limit',
  api_error: 'internal',
  timeout_error: 'timeout',
  overloaded_error: 'overloaded',
}

const TO_ERROR_TYPE: Readonly<Record<FaultKind, ErrorTypeJson>> = {
  'invalid-request': 'invalid_request_error',
  'context-too-long': 'invalid_request_error',
  authentication: 'authentication_error',
  billing: 'billing_error',
  permission: 'permission_error',
  'not-found': 'not_found_error',
  conflict: 'conflict_error',
  'too-large': 'request_too_large',
  'rate-limit': 'rate_limit_error',
  'content-policy': 'invalid_request_error',
  internal: 'api_error',
  overloaded: 'overloaded_error',
  timeout: 'timeout_error',
  'bad-stream': 'api_error',
  cut: 'api_error',
}

export function readError(body: JsonObject): StreamFault {
  // Bedrock says it flat, and servers that speak several formats say it in any of them.
  const error = toObject(body['error'])
  const type = toText(error?.['type']) ?? 'api_error'
  const known = Object.hasOwn(FROM_ERROR_TYPE, type)
    ? FROM_ERROR_TYPE[type as ErrorTypeJson]
    : undefined
  return toFault({
    kind: known,
    message: readMessage(body['error'] ?? body),
    code: type,
    vendor: error ?? {},
  })
}

/** The body of an HTTP error, and the payload of an `error` event: they are the same here. */
export function writeError(fault: StreamFault): JsonObject {
  const message = fault.kind === 'context-too-long' ? writeOverflow(fault) : writePassing(fault)
  return { type: 'error', error: { type: TO_ERROR_TYPE[fault.kind], message } }
}

/**
 * opencode tries an answer that broke off again only if its message has certain words; of the types of this
 * wire it knows `overloaded_error` and `rate_limit_error`, and neither `api_error` nor `timeout_error`.
 */
const PASSING: Readonly<Partial<Record<FaultKind, string>>> = {
  internal: 'Internal server error',
  'bad-stream': 'Internal server error',
  cut: 'Connection error',
  timeout: 'Request timed out',
}
const KNOWN =
  /overloaded|unavailable|internal.error|server.error|connection (?:error|refused|lost)|(?:request|response|connection|network|stream|read) (?:timeout|timed out)/i

function writePassing({ kind, message }: StreamFault): string {
  const words = PASSING[kind]
  return words === undefined || KNOWN.test(message) ? message : `${words}: ${message}`
}

/** Claude Code looks for these words: it compacts on the first, and lowers `max_tokens` on the second. */
const TOO_LONG = 'prompt is too long'
const TOO_MUCH = 'input length and `max_tokens` exceed context limit'

function writeOverflow({ message, limits = {} }: StreamFault): string {
  const { prompt, max, output } = limits
  if (prompt !== undefined && max !== undefined) {
    if (prompt > max) return `${TOO_LONG}: ${prompt} tokens > ${max} maximum`
    if (output !== undefined && prompt + output > max)
      return `${TOO_MUCH}: ${prompt} + ${output} > ${max}, decrease input length or \`max_tokens\` and try again`
  }
  return message.includes(TOO_LONG) ? message : `${TOO_LONG}: ${message}`
}
