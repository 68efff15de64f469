/**
 * What the Messages API takes, as strictly as it is known: every field by list, and what is refused although
 * each field alone is right. Neighbours: `api-rules-anthropic-shape.ts` has the fields, `-turns.ts` the order of
 * turns and the pairing of calls; `api-rules.ts` the words. Knows nothing of `src/`.
 */
import { anthropicEnforced } from './api-rules-schema.ts'
import {
  claudeVersion,
  collect,
  isObject,
  noEnvelopes,
  toList,
  toObjects,
  uniqueNames,
  type Finding,
  type Json,
  type Report,
} from './api-rules.ts'
import { checkTurns } from './api-rules-anthropic-turns.ts'
import { request } from './api-rules-anthropic-shape.ts'

export interface AnthropicOptions {
  /** Lower-case names. */
  readonly headers?: Readonly<Record<string, string | undefined>>
  /** Whether this server sealed it. Default: whatever is not plainly another vendor's. */
  readonly isOwnSeal?: (seal: string) => boolean
}

/** What the API would answer 400 to; empty when it would take the body. */
export function validateAnthropic(body: unknown, options: AnthropicOptions = {}): Finding[] {
  return collect((report) => {
    request(body, '', report)
    noEnvelopes(body, report)
    if (!isObject(body)) return
    const model = typeof body['model'] === 'string' ? body['model'] : ''
    checkTurns(body, claudeVersion(model), report)
    checkSeals(body, options.isOwnSeal ?? looksOwn, report)
    checkThinking(body, model, report)
    checkSampling(body, model, options, report)
    checkTools(body, report)
    checkMarks(body, report)
    checkBetas(body, options, report)
  })
}

const looksOwn = (seal: string): boolean =>
  // `gAAAA` is how what OpenAI sealed begins.
  !seal.startsWith('gAAAA') && /^[A-Za-z0-9+/=_-]+$/.test(seal)

function checkSeals(body: Json, isOwn: (seal: string) => boolean, report: Report): void {
  toObjects(body['messages']).forEach(({ content }, i) => {
    toObjects(content).forEach((block, j) => {
      const seal = block['type'] === 'thinking' ? block['signature'] : block['data']
      if (block['type'] !== 'thinking' && block['type'] !== 'redacted_thinking') return
      if (typeof seal === 'string' && !isOwn(seal))
        report(`messages[${i}].content[${j}]`, 'Invalid `signature` in `thinking` block')
    })
  })
}

function checkThinking(body: Json, model: string, report: Report): void {
  const version = claudeVersion(model)
  const thinking = isObject(body['thinking']) ? body['thinking'] : {}
  const choice = isObject(body['tool_choice']) ? body['tool_choice']['type'] : undefined
  const { type, budget_tokens: budget } = thinking
  const config = isObject(body['output_config']) ? body['output_config'] : {}
  if (config['effort'] != null && version < 4.06)
    report('output_config.effort', 'This model does not support the effort parameter')
  if (type === 'adaptive' && version < 4.06)
    report('thinking.type', 'adaptive thinking is not supported on this model')
  if (type === 'disabled' && /fable|mythos/.test(model))
    report('thinking.type', 'thinking cannot be disabled on this model')
  if (type !== 'enabled') return
  if (version >= 4.07 || version < 3.07)
    report('thinking.type', '"enabled" is not supported on this model')
  if (Number(budget) >= Number(body['max_tokens']))
    report('max_tokens', '`max_tokens` must be greater than `thinking.budget_tokens`')
  if (choice === 'any' || choice === 'tool')
    report('tool_choice', 'Thinking may not be enabled when tool_choice forces tool use')
  if (body['temperature'] !== undefined && body['temperature'] !== 1)
    report('temperature', '`temperature` may only be set to 1 when thinking is enabled')
  if (body['top_k'] !== undefined) report('top_k', '`top_k` must be unset with thinking')
}

function checkSampling(body: Json, model: string, options: AnthropicOptions, report: Report): void {
  const isNewVersion = options.headers?.['anthropic-version'] === '2026-10-21'
  const { temperature, top_p: topP, top_k: topK } = body
  const isNewModel = claudeVersion(model) > 4.06
  for (const [name, value, isIdle] of [
    ['temperature', temperature, temperature === 1],
    ['top_p', topP, Number(topP) >= 0.99],
    ['top_k', topK, false],
  ] as const)
    if (value !== undefined && (isNewVersion || (isNewModel && !isIdle)))
      report(name, `\`${name}\` is not supported on this model`)
  if (claudeVersion(model) >= 4 && temperature !== undefined && topP !== undefined)
    report('top_p', '`temperature` and `top_p` cannot both be specified for this model')
}

function checkTools(body: Json, report: Report): void {
  const names = toObjects(body['tools']).map((entry) => entry['name'])
  uniqueNames(
    names.filter((name) => name !== undefined),
    'tools',
    report,
  )
  const choice = body['tool_choice']
  if (choice !== undefined && names.length === 0)
    report('tool_choice', '`tool_choice` may only be specified while providing `tools`')
  if (isObject(choice) && choice['type'] === 'tool' && !names.includes(choice['name']))
    report('tool_choice.name', `Tool '${String(choice['name'])}' not found in provided tools`)
  toObjects(body['tools']).forEach((entry, i) => {
    if (entry['strict'] === true)
      anthropicEnforced(entry['input_schema'], `tools[${i}].input_schema`, report)
  })
}

/** At most four, and the long-lived ones first, in the order in which a prompt is put together. */
function checkMarks(body: Json, report: Report): void {
  const content = toObjects(body['messages']).flatMap((entry) =>
    toObjects(entry['content']).flatMap((block) => [...toObjects(block['content']), block]),
  )
  const marks = [body['tools'], body['system'], content]
    .flatMap((part) => toObjects(toList(part)))
    .concat(body)
    .flatMap(({ cache_control: mark }) => (isObject(mark) ? [mark] : []))
  if (marks.length > 4)
    report('', `A maximum of 4 blocks with cache_control may be provided. Found ${marks.length}`)
  const firstShort = marks.findIndex((mark) => mark['ttl'] !== '1h')
  if (firstShort !== -1 && marks.slice(firstShort).some((mark) => mark['ttl'] === '1h'))
    report('', "a ttl='1h' cache_control block must not come after a ttl='5m' one")
}

/** Fields that an `anthropic-beta` name unlocks. */
const BETAS: readonly (readonly [field: string, beta: RegExp])[] = [
  ['context_management', /context-management-|compact-/],
  ['thread', /message-threads-/],
  ['mcp_servers', /mcp-client-/],
]

function checkBetas(body: Json, options: AnthropicOptions, report: Report): void {
  const betas = options.headers?.['anthropic-beta'] ?? ''
  for (const [field, beta] of BETAS)
    if (body[field] != null && !beta.test(betas)) report(field, 'Extra inputs are not permitted')
  const thinking = body['thinking']
  if (isObject(thinking) && thinking['display'] === 'updates' && !betas.includes('display-updates'))
    report('thinking.display', "Input should be 'summarized' or 'omitted'")
}
