/**
 * What Chat Completions takes, at OpenAI and at the servers that are like it: every field by list, tools
 * answered at once, and what a model of that name refuses. Neighbours: `api-rules-chat-shape.ts`
 * has the fields, `api-rules.ts` the words. Knows nothing of `src/`.
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
import { shapeOf } from './api-rules-chat-shape.ts'

export interface ChatOptions {
  /**
   * Whose server it is; default OpenAI's, the strictest. `client`: what any of them takes, which is what
   * clients of a gateway may send.
   */
  readonly vendor?: string
}

export function validateChat(body: unknown, { vendor = 'openai' }: ChatOptions = {}): Finding[] {
  const isOpenAi = vendor === 'openai' || vendor === 'azure'
  return collect((report) => {
    shapeOf(vendor, isOpenAi)(body, '', report)
    noEnvelopes(body, report)
    if (!isObject(body)) return
    checkOrder(toObjects(body['messages']), vendor, report)
    checkTools(body, vendor, report)
    checkSettings(body, report)
    if (isOpenAi) checkModel(body, report)
    if (vendor === 'mistral') checkMistral(body, report)
    if (vendor === 'ollama') checkOllama(body, report)
  })
}

/** Every call has one `tool` message, right behind it, and no `tool` message stands elsewhere. */
function checkOrder(messages: Json[], vendor: string, report: Report): void {
  let open: unknown[] = []
  messages.forEach((message, i) => {
    const path = `messages[${i}]`
    if (message['role'] === 'tool') {
      const at = open.indexOf(message['tool_call_id'])
      if (at === -1) report(path, 'tool must follow the message with its tool_call')
      else open = open.toSpliced(at, 1)
      return
    }
    if (open.length > 0) report(path, `tool_calls without a tool message: ${open.join(', ')}`)
    open = toObjects(message['tool_calls']).map((call) => call['id'])
    if (new Set(open).size < open.length) report(path, 'Duplicate tool call ids')
    if (message['role'] !== 'assistant' || open.length > 0) return
    if (message['content'] == null && message['refusal'] == null && message['audio'] == null)
      report(path, 'content is required unless tool_calls is given')
  })
  if (open.length > 0) report('messages', `tool_calls without a tool message: ${open.join(', ')}`)
  const last = messages.at(-1)
  if (vendor === 'mistral' && last?.['role'] === 'assistant' && last['prefix'] !== true)
    report('messages', 'Expected last role User or Tool (or Assistant with prefix True)')
}

const named = (tool: Json): unknown =>
  (isObject(tool['function']) ? tool['function'] : (tool['custom'] as Json | undefined))?.['name']

function checkTools(body: Json, vendor: string, report: Report): void {
  const tools = toObjects(body['tools'])
  uniqueNames(tools.map(named), 'tools', report)
  const choice = body['tool_choice']
  for (const field of ['tool_choice', 'parallel_tool_calls'])
    if (body[field] !== undefined && tools.length === 0)
      report(field, `'${field}' is only allowed when 'tools' are specified`)
  if (isObject(choice) && choice['type'] !== 'allowed_tools') {
    const match = tools.find(
      (tool) => named(tool) === named(choice) && tool['type'] === choice['type'],
    )
    if (match === undefined) report('tool_choice', `Tool "${String(named(choice))}" not found`)
  }
  tools.forEach((tool, i) => {
    const fn = tool['function']
    if (isObject(fn) && fn['strict'] === true && vendor !== 'gemini')
      openAiStrict(fn['parameters'], `tools[${i}].function.parameters`, report)
  })
}

function checkSettings(body: Json, report: Report): void {
  if (body['stream_options'] != null && body['stream'] !== true)
    report('stream_options', "only allowed when 'stream' is enabled")
  if (body['max_tokens'] != null && body['max_completion_tokens'] != null)
    report('max_tokens', 'Setting both is not supported')
  if (body['top_logprobs'] != null && body['logprobs'] !== true)
    report('top_logprobs', "'logprobs' must be true")
  const format = isObject(body['response_format']) ? body['response_format'] : {}
  const schema = isObject(format['json_schema']) ? format['json_schema'] : {}
  if (schema['strict'] === true)
    openAiStrict(schema['schema'], 'response_format.json_schema.schema', report)
  if (format['type'] === 'json_object' && !/json/i.test(JSON.stringify(body['messages'])))
    report('messages', "'messages' must contain the word 'json' in some form")
}

function checkModel(body: Json, report: Report): void {
  const model = openAiModel(String(body['model']))
  const effort = body['reasoning_effort'] ?? undefined
  if (model === undefined) return
  if (!model.isReasoning) {
    if (effort !== undefined) report('reasoning_effort', 'Unrecognized request argument')
    if (body['verbosity'] != null && body['verbosity'] !== 'medium')
      report('verbosity', 'Unsupported value for this model')
    return
  }
  if (body['max_tokens'] != null) report('max_tokens', "Use 'max_completion_tokens' instead")
  if (body['stop'] != null) report('stop', 'Unsupported parameter with this model')
  if (effort !== undefined && !openAiEfforts(model.version).includes(effort as string))
    report('reasoning_effort', `Unsupported value with this model: '${String(effort)}'`)
  if (model.version < 5 && body['verbosity'] != null)
    report('verbosity', 'Unsupported value for this model')
  if (effort !== 'none')
    for (const [field, idle] of SAMPLING)
      if (body[field] != null && body[field] !== idle)
        report(field, 'Unsupported value with this model')
  const hasFunctions = toObjects(body['tools']).some((tool) => tool['type'] === 'function')
  if (model.version >= 5.4 && hasFunctions && effort !== 'none')
    report('tools', 'Use /v1/responses for tools, or set reasoning_effort to none')
}

const SAMPLING = [
  ['temperature', 1],
  ['top_p', 1],
  ['presence_penalty', 0],
  ['frequency_penalty', 0],
  ['logprobs', false],
  ['logit_bias', undefined],
] as const

function checkMistral(body: Json, report: Report): void {
  toObjects(body['messages']).forEach((message, i) => {
    const ids = toObjects(message['tool_calls']).map((call) => call['id'])
    for (const id of message['role'] === 'tool' ? [message['tool_call_id']] : ids)
      if (!/^[a-zA-Z0-9]{9}$/.test(String(id)))
        report(`messages[${i}]`, `Tool call id was ${String(id)} but must be a-z, A-Z, 0-9, with 9`)
  })
}

function checkOllama(body: Json, report: Report): void {
  toObjects(body['messages']).forEach((message, i) => {
    for (const call of toObjects(message['tool_calls']))
      if (isObject(call['function']) && call['function']['arguments'] === '')
        report(`messages[${i}].tool_calls`, 'invalid tool call arguments')
    for (const part of toList(message['content']).filter(isObject))
      if (isObject(part['image_url']) && !String(part['image_url']['url']).startsWith('data:'))
        report(`messages[${i}].content`, 'invalid image input')
  })
}
