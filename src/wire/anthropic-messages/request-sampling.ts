/**
 * Temperature and its like, as far as the target takes them. Newer models refuse all of them, and a budget for
 * thinking forbids most. Neighbours: `request-write.ts` asks. Knows no conversation.
 */
import { isObject, type JsonObject } from '../../base/json.ts'
import type { Draft } from './request-draft.ts'

export function writeSampling(draft: Draft, isManual: boolean): JsonObject {
  noteUnknown(draft)
  const { temperature, topP, topK } = draft.request.sampling
  const out: Record<string, unknown> = {}
  const drop = (field: string): void => draft.losses.add('dropped', field)
  const isTaken = draft.profile.takesSampling && !isManual
  // Default values say nothing, and newer models refuse even those.
  if (temperature !== undefined && temperature !== 1) {
    if (!isTaken) drop('temperature')
    else {
      out['temperature'] = Math.min(temperature, 1)
      if (temperature > 1) draft.losses.add('approximated', 'temperature')
    }
  }
  if (topP !== undefined && topP < 0.99) {
    // The two together are refused since the fourth generation.
    if (isTaken && out['temperature'] === undefined) out['top_p'] = topP
    else drop('top_p')
  }
  if (topK !== undefined && topK > 0) {
    if (isTaken && Number.isInteger(topK)) out['top_k'] = topK
    else drop('top_k')
  }
  return out
}

/** What this wire has no field for. Zeros and empty lists do nothing anywhere. */
function noteUnknown({ request, losses }: Draft): void {
  const { seed, frequencyPenalty, presencePenalty, logitBias } = request.sampling
  if (seed !== undefined) losses.add('dropped', 'seed')
  if ((frequencyPenalty ?? 0) !== 0) losses.add('dropped', 'frequency_penalty')
  if ((presencePenalty ?? 0) !== 0) losses.add('dropped', 'presence_penalty')
  if (isObject(logitBias) && Object.keys(logitBias).length > 0) losses.add('dropped', 'logit_bias')
}
