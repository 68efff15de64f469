/**
 * What the Responses API takes: every item by list, every call with its output, ids of its own making only.
 * Neighbours: `api-rules-responses-shape.ts` has the fields, `api-rules.ts` the words. Knows nothing of `src/`.
 */
import { openAiStrict } from './api-rules-schema.ts'
import {
  collect,
  isObject,
  noEnvelopes,
  openAiEfforts,
  openAiModel,
  toList,
  toObjects,
  uniqueNames,
  type Finding,
  type Json,
  type Report,
} from './api-rules.ts'
import { request } from './api-rules-responses-shape.ts'

export interface ResponsesOptions {
  /** Whether this server sealed it. Default: OpenAI's seals begin with `gAAAA`. */
  readonly isOwnSeal?: (seal: string) => boolean
}

export function validateResponses(body: unknown, options: ResponsesOptions = {}): Finding[] {
  return collect((report) => {
    request(body, '', report)
    noEnvelopes(body, report)
    if (!isObject(body)) return
    const items = toObjects(body['input'])
    checkPairs(body, items, report)
    checkReasoning(body, items, options.isOwnSeal ?? isOpenAiSeal, report)
    checkTools(body, items, report)
    checkModel(body, report)
    checkSettings(body, report)
  })
}

/** Every call has one output of its kind behind it, and every output its call. */
function checkPairs(body: Json, items: Json[], report: Report): void {
  // What the server keeps may hold the other half.
  const isPartial =
    body['previous_response_id'] != null ||
    body['conversation'] != null ||
    items.some(({ type }) => type === 'item_reference')
  const open = new Map<unknown, unknown>()
  const seen = new Set<unknown>()
  items.forEach((entry, i) => {
    const type = String(entry['type'])
    const id = entry['call_id']
    if (type.endsWith('_call') && id !== undefined) {
      if (seen.has(id)) report(`input[${i}]`, `Duplicate call_id ${String(id)}`)
      seen.add(id)
      open.set(id, type)
    }
    if (!type.endsWith('_call_output') || id === undefined) return
    const call = open.get(id)
    if (call === undefined && !isPartial)
      report(`input[${i}]`, `No tool call found for ${type} with call_id ${String(id)}`)
    else if (call !== undefined && type !== `${String(call)}_output`)
      report(`input[${i}]`, `${type} answers a ${String(call)}`)
    open.delete(id)
  })
  for (const id of open.keys()) report('input', `No tool output found for ${String(id)}`)
}

const isOpenAiSeal = (seal: string): boolean => /^gAAAA[A-Za-z0-9_=-]+$/.test(seal)

/** A reasoning item goes with the item that it led to, and with its seal where nothing is stored. */
function checkReasoning(
  body: Json,
  items: Json[],
  isOwn: (seal: string) => boolean,
  report: Report,
): void {
  items.forEach((entry, i) => {
    if (entry['type'] !== 'reasoning') return
    const next = items[i + 1]
    const follows =
      next !== undefined &&
      (next['role'] === 'assistant' || /_call$|^reasoning$|_reference$/.test(String(next['type'])))
    if (!follows)
      report(`input[${i}]`, "'reasoning' was provided without its required following item")
    const seal = entry['encrypted_content']
    if (seal == null && body['store'] === false)
      report(`input[${i}]`, 'Item not found: items are not persisted when `store` is false')
    if (typeof seal === 'string' && !isOwn(seal))
      report(`input[${i}].encrypted_content`, 'The encrypted content could not be verified')
  })
}

function checkTools(body: Json, items: Json[], report: Report): void {
  const declared = toObjects(body['tools']).concat(
    items.flatMap((entry) =>
      entry['type'] === 'additional_tools' ? toObjects(entry['tools']) : [],
    ),
  )
  const flat = declared.flatMap((entry) =>
    entry['type'] === 'namespace'
      ? toObjects(entry['tools']).map((inner) => ({ ...inner, space: entry['name'] }))
      : [entry],
  )
  const own: Json[] = flat.filter(({ type }) => type === 'function' || type === 'custom')
  uniqueNames(
    own.map((entry) => `${String(entry['space'] ?? '')}.${String(entry['name'])}`),
    'tools',
    report,
  )
  own.forEach((entry, i) => {
    if (entry['strict'] === true) openAiStrict(entry['parameters'], `tools(${i})`, report)
  })
  const choice = body['tool_choice']
  if (choice === undefined || choice === 'auto' || choice === 'none') return
  if (declared.length === 0) report('tool_choice', 'Tool choice must come with tools')
  if (!isObject(choice) || (choice['type'] !== 'function' && choice['type'] !== 'custom')) return
  if (!own.some((entry) => entry['name'] === choice['name'] && entry['type'] === choice['type']))
    report('tool_choice', `Tool choice "${String(choice['name'])}" not found in 'tools'`)
}

function checkModel(body: Json, report: Report): void {
  const model = openAiModel(String(body['model']))
  const reasoning = isObject(body['reasoning']) ? body['reasoning'] : {}
  const verbosity = isObject(body['text']) ? body['text']['verbosity'] : undefined
  const effort = reasoning['effort'] ?? undefined
  if (model === undefined) return
  if (verbosity != null && verbosity !== 'medium' && model.version < 5)
    report('text.verbosity', 'Unsupported value with this model')
  if (!model.isReasoning) {
    if (effort !== undefined) report('reasoning.effort', 'Unsupported parameter with this model')
    if (toList(body['include']).includes('reasoning.encrypted_content'))
      report('include', 'Encrypted content is not supported with this model')
    return
  }
  if (effort !== undefined && !openAiEfforts(model.version).includes(effort as string))
    report('reasoning.effort', `Unsupported value with this model: '${String(effort)}'`)
  for (const field of ['temperature', 'top_p'])
    if (body[field] != null && body[field] !== 1 && effort !== 'none')
      report(field, 'Unsupported parameter with this model')
}

function checkSettings(body: Json, report: Report): void {
  if (body['stream_options'] != null && body['stream'] !== true)
    report('stream_options', "only allowed when 'stream' is enabled")
  const format = isObject(body['text']) ? body['text']['format'] : undefined
  if (isObject(format) && format['strict'] === true)
    openAiStrict(format['schema'], 'text.format.schema', report)
  if (isObject(format) && format['type'] === 'json_object') {
    const words = JSON.stringify([body['input'], body['instructions']])
    if (!/json/i.test(words)) report('input', "must contain the word 'json' in some form")
  }
  const hasInput = typeof body['input'] === 'string' || toList(body['input']).length > 0
  if (!hasInput && body['previous_response_id'] == null && body['prompt'] == null)
    report('input', 'One of "input" or "previous_response_id" or "prompt" must be provided')
}
