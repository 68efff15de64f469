/**
 * The vendor's words for ends and costs, and ours, both ways. Neighbours: decode, encode and answer;
 * `../openai-errors.ts` has the words for errors.
 */
import { toCount, toObject, toText, type JsonObject } from '../../base/json.ts'
import type { StreamFault } from '../../event/fault.ts'
import type { FinishReason } from '../../event/finish.ts'
import { totalInput, toUsage, type Usage } from '../../event/usage.ts'
import { readErrorValue, writeErrorValue } from '../openai-errors.ts'
import type { UsageJson } from './json.ts'

const FROM_INCOMPLETE: Readonly<Record<string, FinishReason>> = {
  max_output_tokens: 'length',
  max_messages: 'length',
  content_filter: 'content-filter',
  steered: 'other',
}

export interface ReadEnd {
  readonly reason: FinishReason
  readonly vendorReason: string
}

/** Why a response that completed or is incomplete ended. */
export function readEnd(response: JsonObject, hasToolCall: boolean): ReadEnd {
  const status = toText(response['status']) ?? 'completed'
  if (status !== 'incomplete')
    return { reason: hasToolCall ? 'tool-calls' : 'stop', vendorReason: status }
  const word = toText(toObject(response['incomplete_details'])?.['reason']) ?? 'incomplete'
  const reason = Object.hasOwn(FROM_INCOMPLETE, word) ? (FROM_INCOMPLETE[word] ?? 'other') : 'other'
  return { reason, vendorReason: word }
}

/** The reason of an incomplete response, or `undefined` for a completed one. */
export function writeIncomplete(
  reason: FinishReason,
): 'max_output_tokens' | 'content_filter' | undefined {
  switch (reason) {
    case 'length':
    case 'context-full':
    case 'pause':
      return 'max_output_tokens'
    case 'refusal':
    case 'content-filter':
      return 'content_filter'
    case 'stop':
    case 'stop-sequence':
    case 'tool-calls':
    case 'compaction':
    case 'other':
      return undefined
  }
}

export function readUsage(json: unknown): Usage | undefined {
  const usage = toObject(json)
  if (usage === undefined) return undefined
  const input = toCount(usage['input_tokens'])
  const details = toObject(usage['input_tokens_details'])
  const read = toCount(details?.['cached_tokens'])
  const write = toCount(details?.['cache_write_tokens'])
  return toUsage({
    inputTokens: input === undefined ? undefined : Math.max(0, input - (read ?? 0) - (write ?? 0)),
    cacheReadTokens: read,
    cacheWriteTokens: write,
    outputTokens: toCount(usage['output_tokens']),
    reasoningTokens: toCount(toObject(usage['output_tokens_details'])?.['reasoning_tokens']),
  })
}

export function writeUsage(usage: Usage): UsageJson {
  const input = totalInput(usage)
  const output = usage.outputTokens ?? 0
  return {
    input_tokens: input,
    input_tokens_details: {
      cached_tokens: usage.cacheReadTokens ?? 0,
      ...(usage.cacheWriteTokens === undefined
        ? {}
        : { cache_write_tokens: usage.cacheWriteTokens }),
    },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens ?? 0 },
    total_tokens: input + output,
  }
}

/** An `error` event says its error flat, nested, or both; a failed response has it inside. */
export function readError(body: JsonObject): StreamFault {
  const { response, ...rest } = body
  // Without the response: what was said before the error is no part of it.
  return readErrorValue(body['error'] ?? toObject(response)?.['error'] ?? rest, body)
}

export const writeError = (fault: StreamFault): JsonObject => ({ error: writeErrorValue(fault) })
