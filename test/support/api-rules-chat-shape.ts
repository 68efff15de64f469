/**
 * The fields of a Chat request, each by list, at OpenAI and at the servers that are like it. Neighbour:
 * `api-rules-chat.ts`, which knows what is refused although each field alone is right.
 */
import { geminiSchema, openAiSchema } from './api-rules-schema.ts'
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

/** What the servers have beside OpenAI's fields; those that OpenAI has and they refuse are in `REFUSED`. */
const EXTRA: Readonly<Record<string, readonly string[]>> = {
  openrouter: ['top_k', 'reasoning', 'provider', 'usage'],
  vllm: ['top_k', 'chat_template_kwargs', 'continue_final_message', 'add_generation_prompt'],
  deepseek: ['thinking'],
  moonshot: ['thinking'],
  qwen: ['top_k', 'enable_thinking', 'thinking_budget'],
  gemini: ['extra_body'],
  ollama: ['think'],
  mistral: ['random_seed', 'safe_prompt', 'prompt_mode'],
}
const REFUSED: Readonly<Record<string, readonly string[]>> = {
  mistral: (
    'user safety_identifier stream_options max_completion_tokens seed logit_bias logprobs ' +
    'top_logprobs store verbosity prompt_cache_key service_tier'
  ).split(' '),
  gemini: ['parallel_tool_calls', 'prompt_cache_key', 'safety_identifier', 'metadata', 'store'],
}
/** Where thinking goes back to whom, and how an answer is marked that is to go on. */
const ON_ANSWERS: Readonly<Record<string, readonly string[]>> = {
  deepseek: ['reasoning_content', 'prefix'],
  mistral: ['prefix'],
  moonshot: ['reasoning_content', 'partial'],
  qwen: ['reasoning_content', 'partial'],
  vllm: ['reasoning', 'reasoning_content'],
  openrouter: ['reasoning', 'reasoning_details'],
  client: ['reasoning', 'reasoning_content', 'reasoning_details'],
}

const breakpoint = {
  'prompt_cache_breakpoint?': object({ mode: oneOf('explicit'), 'ttl?': oneOf('30m', '12h') }),
}
const textPart = typed('text', { text: text(), ...breakpoint })
const textParts = list(byType({ text: textPart }), { min: 1 })
const file: Check = (value, path, report) => {
  object({ 'file_id?': text({ min: 1 }), 'file_data?': fileData, 'filename?': text() })(
    value,
    path,
    report,
  )
  if (!isObject(value)) return
  const { file_id: id, file_data: data, filename } = value
  if ((id === undefined) === (data === undefined)) report(path, 'Either file_id or file_data')
  if (data !== undefined && typeof filename !== 'string') report(path, 'filename is required')
}
const userPart = byType({
  text: textPart,
  image_url: typed('image_url', {
    image_url: object({ url: imageUrl, 'detail?': oneOf('auto', 'low', 'high', 'original') }),
    ...breakpoint,
  }),
  input_audio: typed('input_audio', {
    input_audio: object({ data: text({ min: 1 }), format: oneOf('wav', 'mp3') }),
  }),
  file: typed('file', { file, ...breakpoint }),
})

const OPENAI_NAME = /^[a-zA-Z0-9_-]{1,64}$/
const speaker = { 'name?': text({ pattern: /^[^\s<|\\/>]{1,64}$/ }) }

const shapes = new Map<string, Check>()

/** Made once for each vendor: tests ask thousands of times. */
export function shapeOf(vendor: string, isOpenAi: boolean): Check {
  const shape = shapes.get(vendor) ?? createShape(vendor, isOpenAi)
  shapes.set(vendor, shape)
  return shape
}

function createShape(vendor: string, isOpenAi: boolean): Check {
  const name = isOpenAi ? text({ pattern: OPENAI_NAME }) : text({ min: 1 })
  const id = isOpenAi ? text({ min: 1, max: 40 }) : text({ min: 1 })
  const takesCustom = isOpenAi || vendor === 'client'
  const schema: Check = vendor === 'gemini' ? geminiSchema : openAiSchema
  const extra = (fields: readonly string[] | undefined): Record<string, Check> =>
    Object.fromEntries((fields ?? []).map((field) => [`${field}?`, anything]))
  const call = byType({
    function: typed('function', {
      id,
      function: object({ name, arguments: text() }),
      ...extra(vendor === 'gemini' ? ['extra_content'] : []),
    }),
    ...(takesCustom && {
      custom: typed('custom', { id, custom: object({ name, input: text() }) }),
    }),
  })
  const message = byField('role', {
    system: object({ role: anything, content: textOr(textParts), ...speaker }),
    developer: object({ role: anything, content: textOr(textParts), ...speaker }),
    user: object({
      role: anything,
      content: textOr(list(userPart, { min: 1 })),
      ...speaker,
    }),
    assistant: object({
      role: anything,
      'content?': nullable(
        textOr(
          list(byType({ text: textPart, refusal: typed('refusal', { refusal: text() }) }), {
            min: 1,
          }),
        ),
      ),
      'refusal?': nullable(text()),
      'tool_calls?': list(call, { min: 1 }),
      'audio?': nullable(object({ id: text() })),
      ...speaker,
      ...extra(ON_ANSWERS[vendor]),
    }),
    tool: object({ role: anything, tool_call_id: id, content: textOr(textParts) }),
  })
  const tool = byType({
    function: typed('function', {
      function: object({
        name,
        'description?': text(),
        'parameters?': schema,
        'strict?': nullable(flag),
      }),
    }),
    ...(takesCustom && {
      custom: typed('custom', {
        custom: object({ name, 'description?': text(), 'format?': customFormat }),
      }),
    }),
  })
  const fields = object({
    ...createTop(name),
    messages: list(message, { min: 1 }),
    'tools?': list(tool, { min: 1, max: 128 }),
    ...extra(EXTRA[vendor]),
  })
  return (value, path, report) => {
    fields(value, path, report)
    for (const field of REFUSED[vendor] ?? [])
      if (isObject(value) && field in value) report(field, 'Extra inputs are not permitted')
    const format = isObject(value) ? value['response_format'] : undefined
    if (vendor === 'deepseek' && isObject(format) && format['type'] === 'json_schema')
      report('response_format', 'This response_format type is unavailable now')
  }
}

const customFormat = byType({
  text: typed('text', {}),
  grammar: typed('grammar', {
    grammar: object({ definition: text({ min: 1 }), syntax: oneOf('lark', 'regex') }),
  }),
})

const createTop = (name: Check): Record<string, Check> => ({
  model: text({ min: 1 }),
  'max_completion_tokens?': nullable(int(1)),
  'max_tokens?': nullable(int(1)),
  'stream?': nullable(flag),
  'stream_options?': nullable(object({ 'include_usage?': flag, 'include_obfuscation?': flag })),
  'tool_choice?': (value, path, report) =>
    (typeof value === 'string' ? oneOf('none', 'auto', 'required') : namedChoice(name))(
      value,
      path,
      report,
    ),
  'parallel_tool_calls?': flag,
  'response_format?': byType({
    text: typed('text', {}),
    json_object: typed('json_object', {}),
    json_schema: typed('json_schema', {
      json_schema: object({
        name: text({ pattern: OPENAI_NAME }),
        schema: anything,
        'strict?': nullable(flag),
        'description?': text(),
      }),
    }),
  }),
  'reasoning_effort?': nullable(oneOf('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max')),
  'verbosity?': nullable(oneOf('low', 'medium', 'high')),
  'n?': int(1, 128),
  'stop?': nullable(textOr(list(text({ min: 1 }), { min: 1, max: 4 }), { min: 1 })),
  'temperature?': nullable(number({ min: 0, max: 2 })),
  'top_p?': nullable(number({ min: 0, max: 1 })),
  'presence_penalty?': nullable(number({ min: -2, max: 2 })),
  'frequency_penalty?': nullable(number({ min: -2, max: 2 })),
  'logit_bias?': nullable(anything),
  'seed?': nullable(number({ isInt: true })),
  'logprobs?': nullable(flag),
  'top_logprobs?': nullable(int(0, 20)),
  'modalities?': anything,
  'audio?': anything,
  'prediction?': anything,
  'web_search_options?': anything,
  'user?': text(),
  'safety_identifier?': text({ max: 128 }),
  'prompt_cache_key?': text({ max: 64 }),
  'prompt_cache_options?': object({
    'mode?': oneOf('implicit', 'explicit'),
    'ttl?': oneOf('30m'),
  }),
  'prompt_cache_retention?': anything,
  'metadata?': nullable(pairs),
  'store?': nullable(flag),
  'service_tier?': nullable(oneOf('auto', 'default', 'flex', 'scale', 'priority', 'fast')),
  'moderation?': anything,
})

const namedChoice = (name: Check): Check =>
  byType({
    function: typed('function', { function: object({ name }) }),
    custom: typed('custom', { custom: object({ name }) }),
    allowed_tools: typed('allowed_tools', {
      allowed_tools: object({ mode: oneOf('auto', 'required'), tools: list(anything, { min: 1 }) }),
    }),
  })
