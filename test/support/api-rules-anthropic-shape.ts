/**
 * The fields of a Messages request, each by list. Neighbour: `api-rules-anthropic.ts`, which knows what is refused
 * although each field alone is right.
 */
import { anthropicEnforced, anthropicSchema } from './api-rules-schema.ts'
import {
  anything,
  byField,
  byType,
  flag,
  int,
  isBase64,
  isObject,
  list,
  nullable,
  number,
  object,
  oneOf,
  text,
  textOr,
  typed,
  type Check,
} from './api-rules.ts'

const cacheControl = nullable(typed('ephemeral', { 'ttl?': oneOf('5m', '1h') }))
const marked = { 'cache_control?': cacheControl }
const filled = text({ min: 1 })
const worded = text({ pattern: /\S/ })
const base64: Check = (value, path, report) => {
  if (typeof value !== 'string' || !isBase64(value)) report(path, 'Invalid base64 data')
}
const url = text({ pattern: /^https?:\/\/\S+$/ })
const urlSource = typed('url', { url })
const fileSource = typed('file', { file_id: filled })

const textBlock = typed('text', { text: worded, ...marked, 'citations?': nullable(list(anything)) })
/** In results, blanks are something that a tool said. */
const resultText = typed('text', {
  text: filled,
  ...marked,
  'citations?': nullable(list(anything)),
})
const image = typed('image', {
  source: byType({
    base64: typed('base64', {
      media_type: oneOf('image/jpeg', 'image/png', 'image/gif', 'image/webp'),
      data: base64,
    }),
    url: urlSource,
    file: fileSource,
  }),
  'transformations?': anything,
  ...marked,
})
const document = typed('document', {
  source: byType({
    base64: typed('base64', { media_type: oneOf('application/pdf'), data: base64 }),
    text: typed('text', { media_type: oneOf('text/plain'), data: filled }),
    content: typed('content', { content: textOr(list(anything)) }),
    url: urlSource,
    file: fileSource,
  }),
  'title?': nullable(text()),
  'context?': nullable(text()),
  'citations?': nullable(object({ 'enabled?': flag })),
  ...marked,
})
const searchResult = typed('search_result', {
  source: text(),
  title: text(),
  content: list(resultText, { min: 1 }),
  'citations?': anything,
  ...marked,
})
const resultContent = byType({
  text: resultText,
  image,
  document,
  search_result: searchResult,
  tool_reference: typed('tool_reference', { tool_name: filled, ...marked }),
  browser_state: anything,
})
const callId = text({ pattern: /^[a-zA-Z0-9_-]+$/ })
const toolName = text({ pattern: /^[a-zA-Z0-9_-]{1,128}$/ })
const map: Check = (value, path, report) => {
  if (!isObject(value)) report(path, 'Input should be a valid dictionary')
}

const userBlock = byType({
  text: textBlock,
  image,
  document,
  search_result: searchResult,
  tool_result: typed('tool_result', {
    tool_use_id: callId,
    'content?': textOr(list(resultContent)),
    'is_error?': nullable(flag),
    'toolset_name?': nullable(text()),
    ...marked,
  }),
  container_upload: typed('container_upload', { file_id: filled, ...marked }),
})
const echoed = (type: string): Check =>
  typed(type, { tool_use_id: filled, content: anything, 'caller?': anything, ...marked })
const SERVER_RESULTS =
  'web_search web_fetch code_execution bash_code_execution text_editor_code_execution tool_search'
    .split(' ')
    .map((name) => `${name}_tool_result`)
const assistantBlock = byType({
  text: textBlock,
  thinking: typed('thinking', { thinking: text(), signature: filled }),
  redacted_thinking: typed('redacted_thinking', { data: filled }),
  tool_use: typed('tool_use', {
    id: callId,
    name: text({ min: 1, max: 200, pattern: /^[a-zA-Z0-9_-]+$/ }),
    input: map,
    'caller?': anything,
    'toolset_name?': nullable(text()),
    ...marked,
  }),
  server_tool_use: typed('server_tool_use', {
    id: text({ pattern: /^srvtoolu_[a-zA-Z0-9_]+$/ }),
    name: filled,
    input: map,
    'caller?': anything,
    ...marked,
  }),
  ...Object.fromEntries(SERVER_RESULTS.map((type) => [type, echoed(type)])),
})

const filledContent = (block: Check): Check => textOr(list(block, { min: 1 }), { min: 1 })
const message = byField('role', {
  user: object({ role: anything, content: filledContent(userBlock) }),
  assistant: object({ role: anything, content: filledContent(assistantBlock) }),
  system: object({
    role: anything,
    content: textOr(list(byType({ text: textBlock }), { min: 1 }), { pattern: /\S/ }),
  }),
})

const customTool = object({
  name: toolName,
  input_schema: anthropicSchema,
  'description?': text(),
  'type?': nullable(oneOf('custom')),
  'strict?': flag,
  'defer_loading?': flag,
  'eager_input_streaming?': nullable(flag),
  'input_examples?': list(map),
  'allowed_callers?': list(text()),
  ...marked,
})
const TYPED_TOOL =
  /^(?:bash|text_editor|memory|computer|web_search|web_fetch|code_execution)_\d{8}$|_toolset_\d{8}$|^tool_search_tool_|^advisor_|^mcp_toolset$/
const tool: Check = (value, path, report) => {
  const type = isObject(value) ? value['type'] : undefined
  if (type === undefined || type === null || type === 'custom')
    return customTool(value, path, report)
  if (typeof type !== 'string' || !TYPED_TOOL.test(type)) report(path, 'Tool type is not known')
}

const parallel = { 'disable_parallel_tool_use?': flag }
const display = { 'display?': nullable(oneOf('summarized', 'omitted', 'updates')) }

export const request = object({
  model: filled,
  max_tokens: int(0),
  messages: list(message, { min: 1, max: 100_000 }),
  'system?': textOr(list(byType({ text: textBlock }))),
  'tools?': list(tool),
  'tool_choice?': byType({
    auto: typed('auto', parallel),
    any: typed('any', parallel),
    tool: typed('tool', { name: toolName, ...parallel }),
    none: typed('none', {}),
  }),
  'thinking?': byType({
    adaptive: typed('adaptive', display),
    enabled: typed('enabled', { budget_tokens: int(1024), ...display }),
    between_tools: typed('between_tools', {}),
    disabled: typed('disabled', {}),
  }),
  'output_config?': object({
    'effort?': nullable(oneOf('low', 'medium', 'high', 'xhigh', 'max')),
    'format?': nullable(typed('json_schema', { schema: anthropicEnforced })),
    'task_budget?': anything,
  }),
  'stop_sequences?': list(worded),
  'stream?': flag,
  'metadata?': object({ 'user_id?': nullable(text({ max: 256 })) }),
  'service_tier?': oneOf('auto', 'standard_only'),
  'speed?': nullable(oneOf('standard', 'fast')),
  'cache_control?': cacheControl,
  'container?': anything,
  'inference_geo?': nullable(text()),
  'diagnostics?': anything,
  'temperature?': number({ min: 0, max: 1 }),
  'top_p?': number({ min: 0, max: 1 }),
  'top_k?': int(0),
  'context_management?': nullable(object({ 'edits?': list(map) })),
  'thread?': byType({
    create: typed('create', {}),
    continue: typed('continue', { previous_message_id: filled }),
  }),
  'mcp_servers?': list(map),
  'output_format?': anything,
})
