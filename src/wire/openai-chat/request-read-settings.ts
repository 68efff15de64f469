/**
 * Everything in a Chat body beside messages and tools. Neighbours: `request-read.ts`. Some fields are of
 * compatible servers, and clients send them to any: `top_k`, `thinking`, `reasoning`, `enable_thinking`.
 */
import { isObject, toCount, toObject, toText, type JsonObject } from '../../base/json.ts'
import type { RequestSettings } from '../../request/make-request.ts'
import type {
  Effort,
  OutputFormat,
  Reasoning,
  RequestProblem,
  Sampling,
} from '../../request/request.ts'
import {
  describe,
  takeFlag,
  takeNumber,
  takeObject,
  takeText,
  takeWhole,
  withoutUndefined,
  type Problems,
} from './request-fields.ts'

/** What only this wire has: fields that another may leave out, and fields that it must refuse. */
export interface Found {
  readonly lost: Set<string>
  readonly needed: RequestProblem[]
}

export function readSettings(
  body: JsonObject,
  problems: Problems,
  { lost, needed }: Found,
): RequestSettings {
  const limit = takeWhole(body, 'max_completion_tokens', problems, 1)
  const settings = {
    isParallel: takeFlag(body, 'parallel_tool_calls', problems),
    maxTokens: limit ?? takeWhole(body, 'max_tokens', problems, 1),
    stop: readStop(body, problems),
    sampling: readSampling(body, problems),
    reasoning: readReasoning(body, lost),
    format: readFormat(body, problems, needed),
    verbosity: readWord(body, 'verbosity', VERBOSITIES, lost),
    user: takeText(body, 'safety_identifier', problems) ?? takeText(body, 'user', problems),
    metadata: readMetadata(body, problems),
    cache: { key: takeText(body, 'prompt_cache_key', problems), mark: undefined },
    serviceTier: takeText(body, 'service_tier', problems),
    isStored: takeFlag(body, 'store', problems),
    logprobs: readLogprobs(body, problems),
  }
  noteOwn(body, lost, needed)
  return settings
}

function readStop(body: JsonObject, problems: Problems): readonly string[] {
  const value = body['stop'] ?? []
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  const texts = list.filter((stop) => typeof stop === 'string')
  if (texts.length < list.length)
    problems.add('stop', 'Send a string or a list of strings, or leave the field out')
  return texts.filter((stop) => stop !== '')
}

/** Penalties of nothing are no wish. */
function readSampling(body: JsonObject, problems: Problems): Sampling {
  const bias = takeObject(body, 'logit_bias', problems)
  const hasBias = bias !== undefined && Object.values(bias).some((value) => value !== 0)
  return withoutUndefined({
    temperature: takeNumber(body, 'temperature', problems),
    topP: takeNumber(body, 'top_p', problems),
    topK: takeNumber(body, 'top_k', problems),
    seed: takeWhole(body, 'seed', problems),
    frequencyPenalty: takeNumber(body, 'frequency_penalty', problems) || undefined,
    presencePenalty: takeNumber(body, 'presence_penalty', problems) || undefined,
    logitBias: hasBias ? bias : undefined,
  })
}

const EFFORTS: readonly Effort[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']
const VERBOSITIES = ['low', 'medium', 'high'] as const

/** A word that nobody knows is a hint that is lost, not a fault: servers have their own. */
function readWord<Word extends string>(
  from: JsonObject,
  key: string,
  words: readonly Word[],
  lost: Set<string>,
): Word | undefined {
  const value = from[key] ?? undefined
  const word = words.find((one) => one === value)
  if (word === undefined && value !== undefined) lost.add(key)
  return word
}

/** OpenAI's own field, OpenRouter's object, the switch of DeepSeek and others, and Qwen's. */
function readReasoning(body: JsonObject, lost: Set<string>): Reasoning {
  const router = toObject(body['reasoning']) ?? {}
  const thinking = toObject(body['thinking']) ?? {}
  const effort =
    readWord(body, 'reasoning_effort', EFFORTS, lost) ?? readWord(router, 'effort', EFFORTS, lost)
  const budget =
    toCount(router['max_tokens']) ??
    toCount(thinking['budget_tokens']) ??
    toCount(body['thinking_budget'])
  const isOff =
    router['enabled'] === false ||
    thinking['type'] === 'disabled' ||
    body['enable_thinking'] === false
  const isOn =
    budget !== undefined || thinking['type'] === 'enabled' || body['enable_thinking'] === true
  const mode = isOff
    ? 'off'
    : isOn
      ? 'on'
      : thinking['type'] === 'adaptive'
        ? 'adaptive'
        : undefined
  return withoutUndefined({
    effort,
    mode: mode as Reasoning['mode'],
    budget: isOff ? undefined : budget,
    shows: typeof router['exclude'] === 'boolean' ? !router['exclude'] : undefined,
  })
}

function readFormat(
  body: JsonObject,
  problems: Problems,
  needed: RequestProblem[],
): OutputFormat | undefined {
  const format = takeObject(body, 'response_format', problems)
  if (format === undefined || format['type'] === 'text') return undefined
  if (format['type'] === 'json_object') return { type: 'json-object' }
  if (format['type'] !== 'json_schema') {
    const what = describe(format['type'])
    needed.push({
      path: 'response_format.type',
      message: `Send "text", "json_object" or "json_schema": this upstream has no ${what}`,
      code: 'unsupported',
    })
    return undefined
  }
  const form = toObject(format['json_schema'])
  const schema = toObject(form?.['schema'])
  if (schema === undefined)
    problems.add('response_format.json_schema.schema', 'Send the schema as an object')
  return {
    type: 'json-schema',
    name: toText(form?.['name']),
    description: toText(form?.['description']),
    schema: schema ?? {},
    isStrict: typeof form?.['strict'] === 'boolean' ? form['strict'] : undefined,
  }
}

function readMetadata(
  body: JsonObject,
  problems: Problems,
): Readonly<Record<string, string>> | undefined {
  const metadata = takeObject(body, 'metadata', problems)
  if (metadata === undefined) return undefined
  const pairs = Object.entries(metadata).filter(
    (pair): pair is [string, string] => typeof pair[1] === 'string',
  )
  return pairs.length === 0 ? undefined : Object.fromEntries(pairs)
}

function readLogprobs(body: JsonObject, problems: Problems): number | undefined {
  const isWanted = takeFlag(body, 'logprobs', problems) === true
  const top = takeWhole(body, 'top_logprobs', problems, 0)
  return isWanted ? (top ?? 0) : undefined
}

/** Fields that are read here or elsewhere, and hints that no answer depends on. */
const READ = new Set(
  (
    'model messages stream stream_options tools tool_choice parallel_tool_calls functions ' +
    'function_call max_tokens max_completion_tokens stop temperature top_p top_k seed ' +
    'frequency_penalty presence_penalty logit_bias reasoning_effort reasoning thinking ' +
    'enable_thinking thinking_budget response_format verbosity user safety_identifier ' +
    'prompt_cache_key prompt_cache_options prompt_cache_retention metadata service_tier store ' +
    'logprobs top_logprobs n modalities audio prediction include_reasoning usage ' +
    'reasoning_format reasoning_split session_id'
  ).split(' '),
)

/** What only this wire has. */
function noteOwn(body: JsonObject, lost: Set<string>, needed: RequestProblem[]): void {
  if (typeof body['n'] === 'number' && body['n'] > 1)
    needed.push({
      path: 'n',
      message: `Ask for one answer at a time: this upstream gives one, got n = ${body['n']}`,
      code: 'unsupported',
    })
  const modalities: unknown = body['modalities']
  if (Array.isArray(modalities) && modalities.some((one) => one !== 'text'))
    needed.push({
      path: 'modalities',
      message: 'Ask for "text" only: this upstream answers in no other form',
      code: 'unsupported',
    })
  if (blocks(body['moderation']))
    needed.push({
      path: 'moderation',
      message: 'Leave "moderation" out: this upstream cannot hold an answer back by it',
      code: 'unsupported',
    })
  for (const [key, value] of Object.entries(body))
    if (!READ.has(key) && value !== null && value !== undefined) lost.add(key)
}

/** `mode: block` is said of the whole, or of the input and the output. */
const blocks = (moderation: unknown): boolean =>
  isObject(moderation) &&
  [moderation, ...Object.values(moderation)].some(
    (part) => isObject(part) && part['mode'] === 'block',
  )
