/**
 * Everything beside the conversation and the tools, as this wire and the model behind it take it (mapping
 * 1.7, 1.14, 1.15). Neighbours: `request-write.ts` puts it into the body. Stop sequences are not here: the
 * wire has none, and whoever reads the answer looks for them.
 */
import { hashHex } from '../../base/hash.ts'
import type { JsonObject } from '../../base/json.ts'
import type { LossList } from '../../event/loss.ts'
import type { Profile } from '../../request/profile.ts'
import type { Effort, ModelRequest } from '../../request/request.ts'
import { isStrictSchema } from '../../request/schema-strict.ts'
import { toSchema } from '../../request/schema.ts'
import { nearestEffort } from './request-effort.ts'

/** The vendor refuses less. */
const MIN_OUTPUT_TOKENS = 16

export function writeSettings(
  request: ModelRequest,
  profile: Profile,
  losses: LossList,
): JsonObject {
  const reasoning = writeReasoning(request, profile, losses)
  const text = writeText(request, profile, losses)
  return {
    ...writeLimit(request, profile),
    ...writeSampling(request, profile, losses),
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(text === undefined ? {} : { text }),
    ...writeInclude(request, profile),
    // This wire keeps answers unless told not to, the others do not.
    store: request.isStored === true,
    ...writeLabels(request, profile, losses),
  }
}

function writeLimit({ maxTokens }: ModelRequest, profile: Profile): JsonObject {
  if (maxTokens === undefined) return {}
  // Nothing to write: the client only fills the cache.
  if (maxTokens === 0 && profile.takesCacheMarks) return { prompt_cache_options: { prewarm: true } }
  return { max_output_tokens: Math.max(MIN_OUTPUT_TOKENS, maxTokens) }
}

function writeSampling({ sampling }: ModelRequest, profile: Profile, losses: LossList): JsonObject {
  const { temperature, topP } = sampling
  if (sampling.topK !== undefined) losses.add('dropped', 'top_k')
  if (sampling.seed !== undefined) losses.add('dropped', 'seed')
  if ((sampling.frequencyPenalty ?? 0) !== 0) losses.add('dropped', 'frequency_penalty')
  if ((sampling.presencePenalty ?? 0) !== 0) losses.add('dropped', 'presence_penalty')
  if (Object.keys(sampling.logitBias ?? {}).length > 0) losses.add('dropped', 'logit_bias')
  if (profile.takesSampling)
    return {
      ...(temperature === undefined ? {} : { temperature }),
      ...(topP === undefined ? {} : { top_p: topP }),
    }
  // A value that changes nothing goes without a word: agents send `temperature: 1`.
  if ((temperature ?? 1) !== 1) losses.add('dropped', 'temperature')
  if ((topP ?? 1) < 0.99) losses.add('dropped', 'top_p')
  return {}
}

function writeReasoning(
  request: ModelRequest,
  { efforts }: Profile,
  losses: LossList,
): JsonObject | undefined {
  // Who switches thinking on by hand reads it, unless said otherwise: Claude shows it by default, and agents
  // lose a seal that comes without text.
  const { effort: said, mode, shows = mode === 'on' } = request.reasoning
  const asked = said ?? derivedEffort(request.reasoning)
  if (efforts === undefined) {
    if (said !== undefined && said !== 'none') losses.add('dropped', effortField(request))
    return undefined
  }
  const effort = asked === undefined ? undefined : nearestEffort(asked, efforts)
  // A budget in tokens is only ever met roughly; a word that was said and not kept is a loss.
  if (effort !== asked && (said !== undefined || asked === 'none'))
    losses.add('approximated', effortField(request))
  const summary = shows && effort !== 'none' ? { summary: 'auto' } : {}
  const reasoning = { ...(effort === undefined ? {} : { effort }), ...summary }
  return Object.keys(reasoning).length === 0 ? undefined : reasoning
}

function derivedEffort({ mode, budget }: ModelRequest['reasoning']): Effort | undefined {
  if (mode === 'off') return 'none'
  if (mode !== 'on' || budget === undefined) return undefined
  if (budget < 2048) return 'low'
  if (budget < 12_000) return 'medium'
  return budget < 24_000 ? 'high' : 'xhigh'
}

/** As the client spells it. */
function effortField({ source, reasoning }: ModelRequest): string {
  if (source.wire === 'openai-chat') return 'reasoning_effort'
  return reasoning.effort === undefined ? 'thinking' : 'output_config.effort'
}

function writeText(
  request: ModelRequest,
  profile: Profile,
  losses: LossList,
): JsonObject | undefined {
  const { verbosity } = request
  const format = writeFormat(request, losses)
  const isTold = verbosity !== undefined && profile.takesVerbosity
  if (verbosity !== undefined && !isTold) losses.add('dropped', 'verbosity')
  if (format === undefined && !isTold) return undefined
  return { ...(format === undefined ? {} : { format }), ...(isTold ? { verbosity } : {}) }
}

function writeFormat({ format, source }: ModelRequest, losses: LossList): JsonObject | undefined {
  if (format === undefined) return undefined
  if (format.type === 'json-object') return { type: 'json_object' }
  // Messages always holds the model to the schema, and has no word for it.
  const isMessages = source.wire === 'anthropic-messages'
  const asked = format.isStrict ?? isMessages
  const clean = toSchema(format.schema, 'full')
  const schema = clean.ok ? clean.schema : format.schema
  const strict = asked && isStrictSchema(schema)
  if (asked && !strict)
    losses.add('approximated', isMessages ? 'output_config.format' : 'response_format')
  const name = (format.name ?? '').replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64)
  return {
    type: 'json_schema',
    name: name === '' ? 'response' : name,
    ...(format.description === undefined ? {} : { description: format.description }),
    schema,
    strict,
  }
}

/** Models that do not reason refuse to be asked for what they reasoned. */
function writeInclude({ logprobs }: ModelRequest, { efforts }: Profile): JsonObject {
  const include = [
    ...(efforts === undefined ? [] : ['reasoning.encrypted_content']),
    ...(logprobs === undefined ? [] : ['message.output_text.logprobs']),
  ]
  return {
    ...(include.length === 0 ? {} : { include }),
    ...(logprobs === undefined ? {} : { top_logprobs: logprobs }),
  }
}

function writeLabels(request: ModelRequest, profile: Profile, losses: LossList): JsonObject {
  const { user, metadata, cache, serviceTier } = request
  const field = profile.userField
  const tier = serviceTier === 'standard_only' ? 'default' : serviceTier
  if (tier !== undefined && tier !== 'auto' && !profile.takesServiceTier)
    losses.add('dropped', 'service_tier')
  return {
    ...(user === undefined || field === undefined ? {} : { [field]: toShort(user, 128) }),
    ...(metadata === undefined || !profile.takesMetadata ? {} : { metadata }),
    ...(cache.key === undefined || !profile.takesCacheKey
      ? {}
      : { prompt_cache_key: toShort(cache.key, 64) }),
    ...(tier === undefined || !profile.takesServiceTier ? {} : { service_tier: tier }),
  }
}

/** The same short name for the same long one: agents put a whole JSON object into the user's id. */
function toShort(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text
  return `id_${hashHex(text)}`
}
