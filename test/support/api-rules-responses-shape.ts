/**
 * The fields of a Responses request and of its items, each by list. Neighbour: `api-rules-responses.ts`, which knows
 * what is refused although each field alone is right.
 */
import { openAiSchema } from './api-rules-schema.ts'
import {
  anything,
  byField,
  byType,
  fileData,
  flag,
  imageUrl,
  int,
  isObject,
  list,
  nullable,
  number,
  object,
  oneOf,
  pairs,
  text,
  textOr,
  typed,
  type Check,
} from './api-rules.ts'

const breakpoint = {
  'prompt_cache_breakpoint?': object({ mode: oneOf('explicit'), 'ttl?': oneOf('30m', '12h') }),
}
const detail = { 'detail?': nullable(oneOf('auto', 'low', 'high', 'original')) }
const idOf = (...prefixes: string[]): Record<string, Check> => ({
  'id?': text({ pattern: new RegExp(`^(?:${prefixes.join('|')})`) }),
})
const status = { 'status?': nullable(oneOf('in_progress', 'completed', 'incomplete')) }

const inputText = typed('input_text', { text: text(), ...breakpoint })
const oneSource =
  (fields: Readonly<Record<string, Check>>, sources: readonly string[]): Check =>
  (value, path, report) => {
    object(fields)(value, path, report)
    if (isObject(value) && sources.filter((name) => value[name] != null).length !== 1)
      report(path, `Exactly one of ${sources.join(', ')}`)
    if (isObject(value) && value['file_data'] != null && typeof value['filename'] !== 'string')
      report(path, 'filename is required with file_data')
  }
const inputPart = byType({
  input_text: inputText,
  input_image: oneSource(
    {
      type: anything,
      'image_url?': nullable(imageUrl),
      'file_id?': nullable(text({ min: 1 })),
      ...detail,
      ...breakpoint,
    },
    ['image_url', 'file_id'],
  ),
  input_file: oneSource(
    {
      type: anything,
      'file_data?': fileData,
      'file_url?': text({ pattern: /^https?:\/\/\S+$/ }),
      'file_id?': nullable(text({ min: 1 })),
      'filename?': text({ min: 1 }),
      ...detail,
      ...breakpoint,
    },
    ['file_data', 'file_url', 'file_id'],
  ),
})
const outputPart = byType({
  output_text: typed('output_text', {
    text: text(),
    'annotations?': list(anything),
    'logprobs?': nullable(list(anything)),
    ...breakpoint,
  }),
  refusal: typed('refusal', { refusal: text() }),
})

const inputMessage = object({
  'type?': oneOf('message'),
  role: anything,
  content: textOr(list(inputPart, { min: 1 })),
  ...idOf('msg'),
  ...status,
})
const message = byField('role', {
  user: inputMessage,
  system: inputMessage,
  developer: inputMessage,
  assistant: object({
    'type?': oneOf('message'),
    role: anything,
    content: textOr(list(outputPart, { min: 1 })),
    'phase?': nullable(oneOf('commentary', 'final_answer')),
    ...idOf('msg'),
    ...status,
  }),
})

const callId = text({ min: 1, max: 64 })
const toolName = text({ pattern: /^[a-zA-Z0-9_-]{1,128}$/ })
const output = textOr(list(inputPart, { min: 1 }), { max: 10 * 1024 * 1024 })
const called = { call_id: callId, 'caller?': anything, ...status }

const item = byType({
  message,
  function_call: typed('function_call', {
    ...called,
    name: toolName,
    'namespace?': text({ min: 1 }),
    arguments: text(),
    ...idOf('fc'),
  }),
  function_call_output: typed('function_call_output', { ...called, output, ...idOf('fc') }),
  custom_tool_call: typed('custom_tool_call', {
    ...called,
    name: toolName,
    'namespace?': text({ min: 1 }),
    input: text(),
    ...idOf('ctc'),
  }),
  custom_tool_call_output: typed('custom_tool_call_output', { ...called, output, ...idOf('ctc') }),
  reasoning: typed('reasoning', {
    ...idOf('rs'),
    summary: list(typed('summary_text', { text: text() })),
    'content?': nullable(list(typed('reasoning_text', { text: text() }))),
    'encrypted_content?': nullable(text({ min: 1 })),
    ...status,
  }),
  item_reference: typed('item_reference', { id: text({ min: 1 }) }),
  additional_tools: typed('additional_tools', {
    role: oneOf('developer'),
    tools: (value, path, report) => list(tool)(value, path, report),
    ...idOf('at'),
  }),
  local_shell_call: typed('local_shell_call', { ...called, action: anything, ...idOf('lsh') }),
  local_shell_call_output: typed('local_shell_call_output', {
    'call_id?': callId,
    id: text({ min: 1 }),
    output: text(),
    ...status,
  }),
  apply_patch_call: typed('apply_patch_call', { ...called, operation: anything, ...idOf('apc') }),
  apply_patch_call_output: typed('apply_patch_call_output', {
    ...called,
    'output?': nullable(text()),
    ...idOf('apco'),
    'status?': oneOf('completed', 'failed'),
  }),
  web_search_call: anything,
  tool_search_call: anything,
  tool_search_output: anything,
})
/** `type` may be missing on a message. */
const inputItem: Check = (value, path, report) =>
  (isObject(value) && value['type'] === undefined ? message : item)(value, path, report)

const customFormat = byType({
  text: typed('text', {}),
  grammar: typed('grammar', { syntax: oneOf('lark', 'regex'), definition: text({ min: 1 }) }),
})
const ownTools = {
  function: typed('function', {
    name: toolName,
    'parameters?': nullable(openAiSchema),
    'strict?': nullable(flag),
    'description?': nullable(text()),
    'defer_loading?': flag,
    'async?': flag,
    'output_schema?': anything,
    'allowed_callers?': anything,
  }),
  custom: typed('custom', {
    name: toolName,
    'description?': text(),
    'format?': customFormat,
    'defer_loading?': flag,
  }),
}
const BUILT_IN = (
  'web_search web_search_preview file_search computer computer_use_preview code_interpreter ' +
  'image_generation local_shell shell apply_patch mcp tool_search programmatic_tool_calling'
).split(' ')
const tool = byType({
  ...ownTools,
  namespace: typed('namespace', {
    name: toolName,
    'description?': text(),
    tools: list(byType(ownTools), { min: 1 }),
  }),
  ...Object.fromEntries(BUILT_IN.map((type) => [type, anything])),
})

const namedChoice = byType({
  function: typed('function', { name: toolName, 'namespace?': text() }),
  custom: typed('custom', { name: toolName, 'namespace?': text() }),
  allowed_tools: typed('allowed_tools', {
    mode: oneOf('auto', 'required'),
    tools: list(anything, { min: 1 }),
  }),
  mcp: typed('mcp', { server_label: text(), 'name?': text() }),
  ...Object.fromEntries(BUILT_IN.map((type) => [type, typed(type, {})])),
})

const INCLUDES = (
  'reasoning.encrypted_content message.output_text.logprobs web_search_call.action.sources ' +
  'web_search_call.results file_search_call.results code_interpreter_call.outputs ' +
  'computer_call_output.output.image_url message.input_image.image_url'
).split(' ')

export const request = object({
  model: text({ min: 1 }),
  'input?': textOr(list(inputItem), { min: 1 }),
  'instructions?': nullable(text()),
  'previous_response_id?': nullable(text({ pattern: /^resp_/ })),
  'conversation?': anything,
  'store?': nullable(flag),
  'background?': nullable(flag),
  'stream?': nullable(flag),
  'stream_options?': nullable(object({ 'include_obfuscation?': flag })),
  'max_output_tokens?': nullable(int(16)),
  'max_tool_calls?': nullable(int(1)),
  'tools?': list(tool),
  'tool_choice?': (value, path, report) =>
    (typeof value === 'string' ? oneOf('none', 'auto', 'required') : namedChoice)(
      value,
      path,
      report,
    ),
  'parallel_tool_calls?': nullable(flag),
  'reasoning?': nullable(
    object({
      'effort?': nullable(oneOf('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max')),
      'summary?': nullable(oneOf('auto', 'concise', 'detailed')),
      'context?': nullable(oneOf('auto', 'current_turn', 'all_turns')),
      'mode?': nullable(oneOf('standard', 'pro')),
    }),
  ),
  'text?': object({
    'format?': byType({
      text: typed('text', {}),
      json_object: typed('json_object', {}),
      json_schema: typed('json_schema', {
        name: text({ pattern: /^[a-zA-Z0-9_-]{1,64}$/ }),
        schema: anything,
        'strict?': nullable(flag),
        'description?': text(),
      }),
    }),
    'verbosity?': nullable(oneOf('low', 'medium', 'high')),
  }),
  'include?': nullable(list(oneOf(...INCLUDES))),
  'temperature?': nullable(number({ min: 0, max: 2 })),
  'top_p?': nullable(number({ min: 0, max: 1 })),
  'top_logprobs?': nullable(int(0, 20)),
  'truncation?': nullable(oneOf('auto', 'disabled')),
  'context_management?': anything,
  'prompt?': anything,
  'prompt_cache_key?': nullable(text({ max: 64 })),
  'prompt_cache_options?': anything,
  'prompt_cache_retention?': anything,
  'metadata?': nullable(pairs),
  'user?': text(),
  'safety_identifier?': text({ max: 128 }),
  'service_tier?': nullable(
    oneOf('auto', 'default', 'flex', 'scale', 'priority', 'fast', 'ultrafast'),
  ),
  'moderation?': anything,
  'access_programs?': anything,
  // Not in the public types; Codex sends it with every request.
  'client_metadata?': anything,
})
