/**
 * Everything a request says beside its conversation and its tools. Neighbours: `request-read.ts` puts it
 * together. A value of a kind that we do not expect counts as not said: the provider is the one to refuse it.
 */
import { isObject, toCount, toList, toObject, toText, type JsonObject } from '../../base/json.ts'
import type { ModelRequest, OutputFormat, Reasoning, Sampling } from '../../request/request.ts'
import { toEffort } from './request-effort.ts'
import type { Notes } from './request-notes.ts'

export type Settings = Omit<
  ModelRequest,
  'source' | 'model' | 'isStream' | 'system' | 'turns' | 'tools' | 'toolChoice' | 'lost' | 'needed'
>

export function readSettings(body: JsonObject, notes: Notes): Settings {
  noteOwn(body, notes)
  const cacheOptions = toObject(body['prompt_cache_options'])
  const ttl = toText(cacheOptions?.['ttl'])
  return {
    isParallel: toFlag(body['parallel_tool_calls']),
    // A request that only fills the cache: Messages says that with no tokens to write.
    maxTokens: cacheOptions?.['prewarm'] === true ? 0 : toCount(body['max_output_tokens']),
    stop: [],
    sampling: readSampling(body),
    reasoning: readReasoning(body['reasoning'], notes),
    format: readFormat(toObject(body['text'])?.['format'], notes),
    verbosity: readVerbosity(toObject(body['text'])?.['verbosity']),
    user: toText(body['safety_identifier']) ?? toText(body['user']),
    metadata: readMetadata(body['metadata']),
    cache: {
      key: toText(body['prompt_cache_key']),
      mark: ttl === undefined ? undefined : { ttl },
    },
    serviceTier: toText(body['service_tier']),
    isStored: toFlag(body['store']),
    logprobs: readLogprobs(body),
  }
}

const toFlag = (value: unknown): boolean | undefined =>
  typeof value === 'boolean' ? value : undefined

const toNumber = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined

function readSampling(body: JsonObject): Sampling {
  const temperature = toNumber(body['temperature'])
  const topP = toNumber(body['top_p'])
  const frequencyPenalty = toNumber(body['frequency_penalty'])
  const presencePenalty = toNumber(body['presence_penalty'])
  return {
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { topP }),
    ...(frequencyPenalty === undefined ? {} : { frequencyPenalty }),
    ...(presencePenalty === undefined ? {} : { presencePenalty }),
  }
}

function readReasoning(value: unknown, notes: Notes): Reasoning {
  if (!isObject(value)) return {}
  const { effort: asked, context, mode } = value
  const effort = toEffort(asked)
  if (asked != null && effort === undefined) notes.lose('reasoning.effort')
  if (context != null && context !== 'auto') notes.lose('reasoning.context')
  if (mode != null && mode !== 'standard') notes.lose('reasoning.mode')
  const summary = value['summary'] === undefined ? value['generate_summary'] : value['summary']
  return {
    ...(effort === undefined ? {} : { effort }),
    ...(summary === undefined ? {} : { shows: summary !== null }),
  }
}

function readFormat(value: unknown, notes: Notes): OutputFormat | undefined {
  if (!isObject(value)) return undefined
  const type = toText(value['type']) ?? 'text'
  if (type === 'text') return undefined
  if (type === 'json_object') return { type: 'json-object' }
  if (type !== 'json_schema') {
    notes.need('text.format', `Cannot ask for the format "${type}" here: use "json_schema"`)
    return undefined
  }
  const { schema } = value
  if (!isObject(schema)) {
    notes.fail('text.format.schema', 'Cannot read this format: give it a JSON Schema object')
    return undefined
  }
  return {
    type: 'json-schema',
    name: toText(value['name']),
    description: toText(value['description']),
    schema,
    isStrict: toFlag(value['strict']),
  }
}

function readVerbosity(value: unknown): ModelRequest['verbosity'] {
  return value === 'low' || value === 'medium' || value === 'high' ? value : undefined
}

function readMetadata(value: unknown): ModelRequest['metadata'] {
  if (!isObject(value)) return undefined
  const entries = Object.entries(value).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  )
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}

function readLogprobs(body: JsonObject): number | undefined {
  const top = toCount(body['top_logprobs'])
  if (toList(body['include']).includes('message.output_text.logprobs')) return top ?? 0
  return top === 0 ? undefined : top
}

/** What has no place in another wire's request. What is not here is a hint, and goes without a word. */
function noteOwn(body: JsonObject, notes: Notes): void {
  if (body['prompt'] != null)
    notes.need(
      'prompt',
      'Cannot use a stored prompt here: send its text as "instructions" and "input"',
    )
  if (body['background'] === true)
    notes.need('background', 'Cannot run in the background here: leave "background" out')
  if (toObject(body['moderation'])?.['mode'] === 'block')
    notes.need('moderation', 'Cannot block by moderation here: leave "moderation" out')
  else if (body['moderation'] != null) notes.lose('moderation')
  if (body['truncation'] === 'auto') notes.lose('truncation')
  if (toList(body['context_management']).length > 0) notes.lose('context_management')
  if (body['access_programs'] != null) notes.lose('access_programs')
}
