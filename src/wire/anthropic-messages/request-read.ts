/**
 * A client's body to a request of ours. Neighbours: `request-turns.ts` reads the conversation,
 * `request-tools.ts` the tools, `request-write.ts` is the way back. What is wrong is a problem with its path;
 * what is new or unknown is kept on this wire and said to be lost on another. Knows no target.
 */
import { toCount, toList, toObject, toText, type JsonObject } from '../../base/json.ts'
import type {
  Effort,
  ModelRequest,
  OutputFormat,
  Reasoning,
  Sampling,
} from '../../request/request.ts'
import type { ReadRequest } from '../../request/write.ts'
import type { EncoderOptions } from '../wire.ts'
import { NAME } from './json.ts'
import { readNeeds } from './request-needs.ts'
import { createProblems, type Findings, type Problems } from './request-problems.ts'
import { readTools, readToolChoice, toCache } from './request-tools.ts'
import { readSystem, readTurns } from './request-turns.ts'

export function readRequest(body: JsonObject): ReadRequest {
  const problems = createProblems()
  const found: Findings = { problems, lost: new Set(), needed: [] }
  const model = toText(body['model'])
  if (model === undefined) problems.add('model', 'Name a model')
  readNeeds(body, found)
  const system = readSystem(body['system'], found)
  const turns = readTurns(body['messages'], found)
  const tools = readTools(body['tools'], problems)
  const { toolChoice, isParallel } = readToolChoice(body['tool_choice'], problems)
  const request: ModelRequest = {
    source: { wire: NAME, body },
    model: model ?? '',
    isStream: body['stream'] === true,
    system,
    turns,
    tools,
    toolChoice,
    isParallel,
    maxTokens: readWhole(body, 'max_tokens', problems),
    stop: toList(body['stop_sequences']).filter((stop) => typeof stop === 'string'),
    sampling: readSampling(body, problems),
    reasoning: readReasoning(body, found),
    format: readFormat(body, problems),
    verbosity: undefined,
    user: toText(toObject(body['metadata'])?.['user_id']),
    metadata: undefined,
    cache: { key: undefined, mark: toCache(body).cache },
    serviceTier: readTier(body, found),
    isStored: undefined,
    logprobs: undefined,
    lost: [...found.lost],
    needed: found.needed,
  }
  return problems.first === undefined
    ? { ok: true, request }
    : { ok: false, problem: problems.first }
}

/** Nothing in a body of this wire changes how its answer is written. */
export const toEncoderOptions = (_body: JsonObject): EncoderOptions => ({})

function readNumber(body: JsonObject, field: string, problems: Problems): number | undefined {
  const value = body[field]
  if (value === undefined || value === null) return undefined
  const count = toCount(value)
  if (count === undefined) problems.add(field, 'Send a number that is not negative')
  return count
}

function readWhole(body: JsonObject, field: string, problems: Problems): number | undefined {
  const count = readNumber(body, field, problems)
  if (count === undefined || Number.isInteger(count)) return count
  problems.add(field, 'Send a whole number')
  return undefined
}

function readSampling(body: JsonObject, problems: Problems): Sampling {
  const temperature = readNumber(body, 'temperature', problems)
  const topP = readNumber(body, 'top_p', problems)
  const topK = readWhole(body, 'top_k', problems)
  return {
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { topP }),
    ...(topK === undefined ? {} : { topK }),
  }
}

const EFFORTS: ReadonlySet<unknown> = new Set<Effort>([
  'none',
  'minimal',
  'low',
  'medium',
  'high',
  'xhigh',
  'max',
])
const isEffort = (value: unknown): value is Effort => EFFORTS.has(value)

function readReasoning(body: JsonObject, { lost }: Findings): Reasoning {
  const effort = toObject(body['output_config'])?.['effort'] ?? undefined
  if (effort !== undefined && !isEffort(effort)) lost.add('output_config.effort')
  const thinking = toObject(body['thinking'])
  const display = thinking?.['display']
  const budget = toCount(thinking?.['budget_tokens'])
  const mode = toMode(thinking?.['type'])
  if (thinking !== undefined && mode === undefined)
    lost.add(`thinking.${toText(thinking['type']) ?? 'type'}`)
  return {
    ...(isEffort(effort) ? { effort } : {}),
    ...(mode === undefined ? {} : { mode }),
    ...(mode === 'on' && budget !== undefined ? { budget } : {}),
    ...(typeof display === 'string' ? { shows: display !== 'omitted' } : {}),
  }
}

function toMode(type: unknown): Reasoning['mode'] {
  if (type === 'enabled') return 'on'
  if (type === 'disabled') return 'off'
  return type === 'adaptive' ? 'adaptive' : undefined
}

function readFormat(body: JsonObject, problems: Problems): OutputFormat | undefined {
  const config = toObject(body['output_config'])
  const path = config?.['format'] == null ? 'output_format' : 'output_config.format'
  const json = config?.['format'] ?? body['output_format'] ?? undefined
  if (json === undefined) return undefined
  const schema = toObject(toObject(json)?.['schema'])
  if (schema === undefined) {
    problems.add(path, 'Send {"type":"json_schema","schema":{…}}')
    return undefined
  }
  return {
    type: 'json-schema',
    name: undefined,
    description: undefined,
    schema,
    isStrict: undefined,
  }
}

/** In the words that both OpenAI wires share. `speed` is close to one of them, but billed otherwise. */
function readTier(body: JsonObject, { lost }: Findings): string | undefined {
  const tier = toText(body['service_tier'])
  if (tier !== undefined) return tier === 'standard_only' ? 'default' : tier
  if (body['speed'] !== 'fast') return undefined
  lost.add('speed')
  return 'fast'
}
