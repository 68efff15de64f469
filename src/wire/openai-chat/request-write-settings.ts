/**
 * Limits, sampling, effort and the rest that stands beside messages and tools in a Chat body. Neighbours:
 * `request-write.ts`; `request-effort.ts` knows the words for effort. Servers refuse what they do not know,
 * so a field goes out only where the profile says that it is taken.
 */
import type { JsonObject } from '../../base/json.ts'
import { toEffort } from './request-effort.ts'
import { withoutUndefined } from './request-fields.ts'
import { toShortId } from './request-ids.ts'
import type { Writing } from './request-writing.ts'

const MAX_USER = 128
const MAX_KEY = 64

export function writeSettings(writing: Writing, hasTools: boolean): JsonObject {
  const { request, profile, problems, spelling } = writing
  if (request.maxTokens === 0)
    problems.add(
      spelling.maxTokens,
      'Ask for at least 1 token: this upstream cannot be warmed up without an answer',
      'unsupported',
    )
  const effort = toEffort(writing, hasTools)
  const { user, cache } = request
  const { key } = cache
  const stop = request.stop.slice(0, profile.maxStop)
  return withoutUndefined({
    [profile.maxTokensField]: request.maxTokens,
    stop: stop.length === 0 ? undefined : stop,
    // Models that reason refuse sampling, but not while they are told not to.
    ...writeSampling(writing, profile.takesSampling || effort === 'none'),
    reasoning_effort: effort,
    verbosity: writeVerbosity(writing),
    logprobs: request.logprobs === undefined ? undefined : true,
    top_logprobs: request.logprobs === 0 ? undefined : request.logprobs,
    ...(profile.userField === undefined || user === undefined
      ? {}
      : { [profile.userField]: toShortId(user, MAX_USER) }),
    prompt_cache_key:
      profile.takesCacheKey && key !== undefined ? toShortId(key, MAX_KEY) : undefined,
    metadata: profile.takesMetadata ? request.metadata : undefined,
    // Both are OpenAI's. Chat keeps nothing unless it is told to.
    store: profile.takesMetadata && request.isStored === true ? true : undefined,
    service_tier: writeTier(writing),
  })
}

/** What every server does by itself, so that it is no loss where it is refused. */
const DEFAULTS: JsonObject = { temperature: 1, top_p: 1 }

function writeSampling({ request, profile, losses }: Writing, isTaken: boolean): JsonObject {
  const { sampling } = request
  const wanted: JsonObject = withoutUndefined({
    temperature: sampling.temperature,
    top_p: sampling.topP,
    seed: sampling.seed,
    frequency_penalty: sampling.frequencyPenalty,
    presence_penalty: sampling.presencePenalty,
    logit_bias: sampling.logitBias,
  })
  const { topK } = sampling
  const hasTopK = profile.vendor === 'vllm' || profile.vendor === 'openrouter'
  if (topK !== undefined && !hasTopK) losses.add('dropped', 'top_k')
  if (isTaken) return { ...wanted, ...(hasTopK && topK !== undefined ? { top_k: topK } : {}) }
  for (const [field, value] of Object.entries(wanted))
    if (DEFAULTS[field] !== value) losses.add('dropped', field)
  return {}
}

function writeVerbosity({ request, profile, losses, spelling }: Writing): string | undefined {
  if (profile.takesVerbosity) return request.verbosity
  // The middle is what a model says by itself.
  if (request.verbosity !== undefined && request.verbosity !== 'medium')
    losses.add('dropped', spelling.verbosity)
  return undefined
}

const TIERS: readonly string[] = ['auto', 'default', 'flex', 'scale', 'priority', 'fast']

function writeTier({ request, profile, losses }: Writing): string | undefined {
  const tier = request.serviceTier === 'standard_only' ? 'default' : request.serviceTier
  if (tier === undefined) return undefined
  if (profile.takesServiceTier && TIERS.includes(tier)) return tier
  if (tier !== 'auto' && tier !== 'default') losses.add('dropped', 'service_tier')
  return undefined
}
