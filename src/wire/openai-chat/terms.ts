/**
 * The vendor's words for ends and costs, and ours, both ways. Neighbours: decode, encode and answer;
 * `../openai-errors.ts` has the words for errors.
 */
import { toCount, toObject, toText, type JsonObject } from '../../base/json.ts'
import type { StreamFault } from '../../event/fault.ts'
import type { FinishReason } from '../../event/finish.ts'
import { totalInput, toUsage, type Usage } from '../../event/usage.ts'
import { readErrorValue, writeErrorValue } from '../openai-errors.ts'
import type { FinishReasonJson, UsageJson } from './json.ts'

const FROM_FINISH: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  eos: 'stop',
  end_turn: 'stop',
  length: 'length',
  max_tokens: 'length',
  model_length: 'length',
  tool_calls: 'tool-calls',
  tool_call: 'tool-calls',
  function_call: 'tool-calls',
  content_filter: 'content-filter',
}

/** Words that say the answer broke off: they are errors, not ends. */
const BROKEN = new Set(['error', 'abort', 'insufficient_system_resource'])

/** OpenRouter says `tool_calls` for a call that the limit cut off; only this field tells. */
const NATIVE_LENGTH = new Set(['length', 'max_tokens', 'max_output_tokens', 'MAX_TOKENS'])

const TO_FINISH: Readonly<Record<FinishReason, FinishReasonJson>> = {
  stop: 'stop',
  'stop-sequence': 'stop',
  'tool-calls': 'tool_calls',
  length: 'length',
  'context-full': 'length',
  refusal: 'content_filter',
  'content-filter': 'content_filter',
  pause: 'length',
  compaction: 'stop',
  other: 'stop',
}

export interface ReadFinish {
  readonly reason: FinishReason
  readonly stopSequence?: string
}

/** The end that a choice speaks of: a reason, or `'broken'`. */
export function readFinish(word: string, choice: JsonObject): ReadFinish | 'broken' {
  if (BROKEN.has(word)) return 'broken'
  const native = toText(choice['native_finish_reason'])
  if (native !== undefined && NATIVE_LENGTH.has(native)) return { reason: 'length' }
  const reason = Object.hasOwn(FROM_FINISH, word) ? (FROM_FINISH[word] ?? 'other') : 'other'
  // vLLM and SGLang say which stop sequence they met; a number there is a token id.
  const stopSequence = toText(choice['stop_reason']) ?? toText(choice['matched_stop'])
  return reason === 'stop' && stopSequence !== undefined
    ? { reason: 'stop-sequence', stopSequence }
    : { reason }
}

/** A client that is told `tool_calls` waits for a tool, so the word must agree with what was delivered. */
export function writeFinish(reason: FinishReason, hasToolCall: boolean): FinishReasonJson {
  const word = TO_FINISH[reason]
  if (word === 'stop' && hasToolCall) return 'tool_calls'
  return word === 'tool_calls' && !hasToolCall ? 'stop' : word
}

export function readUsage(json: unknown): Usage | undefined {
  const usage = toObject(json)
  if (usage === undefined) return undefined
  const prompt = toCount(usage['prompt_tokens'])
  const completion = toCount(usage['completion_tokens'])
  const total = toCount(usage['total_tokens'])
  const input = toObject(usage['prompt_tokens_details'])
  const read = toCount(input?.['cached_tokens']) ?? toCount(usage['prompt_cache_hit_tokens'])
  const write = toCount(input?.['cache_write_tokens'])
  const reasoning =
    toCount(toObject(usage['completion_tokens_details'])?.['reasoning_tokens']) ??
    toCount(usage['reasoning_tokens'])
  // xAI counts reasoning beside the completion and not in it; the total gives it away.
  const isBeside =
    reasoning !== undefined &&
    reasoning > 0 &&
    total !== undefined &&
    total === (prompt ?? 0) + (completion ?? 0) + reasoning
  return toUsage({
    inputTokens:
      prompt === undefined ? undefined : Math.max(0, prompt - (read ?? 0) - (write ?? 0)),
    cacheReadTokens: read,
    cacheWriteTokens: write,
    outputTokens: isBeside ? (completion ?? 0) + reasoning : completion,
    reasoningTokens: reasoning,
  })
}

export function writeUsage(usage: Usage): UsageJson {
  const prompt = totalInput(usage)
  const completion = usage.outputTokens ?? 0
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: {
      cached_tokens: usage.cacheReadTokens ?? 0,
      ...(usage.cacheWriteTokens === undefined
        ? {}
        : { cache_write_tokens: usage.cacheWriteTokens }),
    },
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens ?? 0 },
  }
}

export const readError = (body: JsonObject): StreamFault =>
  readErrorValue(body['error'] ?? body, body)

export const writeError = (fault: StreamFault): JsonObject => ({ error: writeErrorValue(fault) })
