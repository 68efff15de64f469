/**
 * Everything a request says beside its conversation and its tools. Neighbours: `request-read.ts` puts it
 * together. A word that we do not expect counts as not said; a number that cannot be meant is a problem, since
 * it would be another provider that refuses it, in words about fields that this client does not have.
 */
import { isObject, toList, toObject, toText, type JsonObject } from '../../base/json.ts'
import type { RequestSettings } from '../../request/make-request.ts'
import type { ModelRequest, OutputFormat, Reasoning, Sampling } from '../../request/request.ts'
import { toEffort } from './request-effort.ts'
import type { Notes } from './request-notes.ts'

export function readSettings(body: JsonObject, notes: Notes): RequestSettings {
  noteOwn(body, notes)
  const cacheOptions = toObject(body['prompt_cache_options'])
  const ttl = toText(cacheOptions?.['ttl'])
  return {
    isParallel: toFlag(body['parallel_tool_calls']),
    // A request that only fills the cache: Messages says that with no tokens to write.
    maxTokens: cacheOptions?.['prewarm'] === true ? 0 : readLimit(body, notes),
    stop: [],
    sampling: readSampling(body, notes),
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
    logprobs: readLogprobs(body, notes),
  }
}

const toFlag = (value: unknown): boolean | undefined =>
  typeof value === 'boolean' ? value : undefined

/** `null` is what SDKs send for whatever was not set. */
function readNumber(body: JsonObject, field: string, notes: Notes): number | undefined {
  const value = body[field] ?? undefined
  if (value === undefined) return undefined
  if (typeof value === 'number' && Number.isFinite(value)) return value
  notes.fail(field, 'Cannot read this number: send one, or leave the field out')
  return undefined
}

function readWhole(
  body: JsonObject,
  field: string,
  notes: Notes,
  least: number,
): number | undefined {
  const number = readNumber(body, field, notes)
  if (number === undefined || (Number.isInteger(number) && number >= least)) return number
  notes.fail(field, `Cannot use ${number} here: send a whole number of at least ${least}`)
  return undefined
}

const readLimit = (body: JsonObject, notes: Notes): number | undefined =>
  readWhole(body, 'max_output_tokens', notes, 1)

function readSampling(body: JsonObject, notes: Notes): Sampling {
  const temperature = readNumber(body, 'temperature', notes)
  const topP = readNumber(body, 'top_p', notes)
  const frequencyPenalty = readNumber(body, 'frequency_penalty', notes)
  const presencePenalty = readNumber(body, 'presence_penalty', notes)
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

function readLogprobs(body: JsonObject, notes: Notes): number | undefined {
  const top = readWhole(body, 'top_logprobs', notes, 0)
  if (toList(body['include']).includes('message.output_text.logprobs')) return top ?? 0
  return top === 0 ? undefined : top
}

/** Fields that are read here or elsewhere, and hints that no answer depends on: agents send some of them always. */
const READ = new Set(
  (
    'model input instructions previous_response_id conversation prompt store background stream ' +
    'stream_options max_output_tokens max_tool_calls tools tool_choice parallel_tool_calls reasoning ' +
    'text include temperature top_p top_logprobs frequency_penalty presence_penalty truncation ' +
    'context_management prompt_cache_key prompt_cache_options prompt_cache_retention metadata ' +
    'client_metadata user safety_identifier service_tier moderation access_programs'
  ).split(' '),
)

const isNothing = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (Array.isArray(value) && value.length === 0) ||
  (isObject(value) && Object.keys(value).length === 0)

/** What has no place in another wire's request, and what this one does not have either. */
function noteOwn(body: JsonObject, notes: Notes): void {
  for (const [field, value] of Object.entries(body))
    if (!READ.has(field) && !isNothing(value)) notes.lose(field)
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
