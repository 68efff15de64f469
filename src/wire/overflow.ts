/**
 * What an upstream says when a context is too long, to the fact itself and its numbers. Every server has a
 * sentence of its own and no common code, and a client that is not told cannot compact. Neighbours:
 * `openai-errors.ts` and each wire's `terms.ts` ask, and write it in the words of their clients. The wire it
 * came on does not matter: gateways hand on each other's sentences.
 */
import { toCount, type JsonObject } from '../base/json.ts'
import type { FaultLimits } from '../event/fault.ts'

/** Looked at in this order: a sentence with more numbers comes before one with less. All are bounded. */
const SENTENCES: readonly RegExp[] = [
  // Anthropic
  /prompt is too long: (?<prompt>[\d,]+) tokens > (?<max>[\d,]+)/,
  /exceed context limit: (?<prompt>[\d,]+) \+ (?<output>[\d,]+) > (?<max>[\d,]+)/,
  // vLLM
  /context length is (?<max>[\d,]+) tokens.{0,40}requested (?<output>[\d,]+) output tokens and your prompt contains (?:at least )?(?<prompt>[\d,]+) input tokens/,
  /is too large: (?<output>[\d,]+)\..{0,40}context length is (?<max>[\d,]+) tokens and your request has (?<prompt>[\d,]+) input tokens/,
  /prompt \((?:total )?length (?<prompt>[\d,]+)\) is (?:longer|too long).{0,60}?(?:model length of|context length) (?<max>[\d,]+)/,
  /prompt length (?<prompt>[\d,]+) exceeds the max_model_len (?<max>[\d,]+)/,
  // OpenAI, DeepSeek, Azure; older vLLM
  /context length is (?<max>[\d,]+) tokens.{0,40}requested [\d,]+ tokens \((?<prompt>[\d,]+) in (?:the messages|your prompt)[,;] (?<output>[\d,]+) (?:in|for) the completion/,
  /context length is (?<max>[\d,]+) tokens.{0,60}resulted in (?<prompt>[\d,]+) tokens/,
  /configured limit of (?<max>[\d,]+) tokens.{0,60}resulted in (?<prompt>[\d,]+) tokens/,
  // OpenRouter
  /context length is (?<max>[\d,]+) tokens.{0,40}requested (?:about )?(?<total>[\d,]+) tokens \([^)]{0,120}?(?<output>[\d,]+) in the output/,
  /context length is (?<max>[\d,]+) tokens.{0,40}requested (?:about )?(?<prompt>[\d,]+) tokens/,
  // SGLang
  /context length of (?<max>[\d,]+) tokens.{0,60}: (?<prompt>[\d,]+) tokens from the input messages and (?<output>[\d,]+) tokens for the completion/,
  // SGLang, Together
  /input \((?<prompt>[\d,]+) tokens\) is longer than the model'?s context length \((?<max>[\d,]+)/,
  // text-generation-inference
  /must be <= (?<max>[\d,]+)\. given: (?<prompt>[\d,]+) `?inputs`? tokens and (?<output>[\d,]+)/,
  /must have less than (?<max>[\d,]+) tokens\. given: (?<prompt>[\d,]+)/,
  // llama.cpp, and servers around it
  /request \((?<prompt>[\d,]+) tokens\) exceeds the available context size \((?<max>[\d,]+)/,
  /requested tokens \((?<prompt>[\d,]+)\) exceed context window of (?<max>[\d,]+)/,
  /prompt (?:has|tokens) \(?(?<prompt>[\d,]+)\)?.{0,40}context size (?:is )?\(?(?<max>[\d,]+)/,
  // LM Studio
  /keep the first (?<prompt>[\d,]+) tokens when.{0,80}context length of only (?<max>[\d,]+)/,
  // Gemini, Vertex
  /input token count (?:is )?\(?(?<prompt>[\d,]+)\)? (?:exceeds the maximum number of tokens allowed|but model only supports up to) \(?(?<max>[\d,]+)/,
  // Mistral
  /prompt contains (?<prompt>[\d,]+) tokens.{0,40}too large for model with (?<max>[\d,]+)/,
  // xAI
  /maximum prompt length is (?<max>[\d,]+) but the request contains (?<prompt>[\d,]+)/,
  // Fireworks
  /prompt is too long: (?<prompt>[\d,]+),.{0,40}context length:? (?<max>[\d,]+)/,
  // GitHub Copilot
  /token count of (?<prompt>[\d,]+) exceeds the limit of (?<max>[\d,]+)/,
  // Cohere
  /tokens in the prompt cannot exceed (?<max>[\d,]+) - received (?<prompt>[\d,]+)/,
  // Moonshot
  /exceeded model token limit: (?<max>[\d,]+) \(requested: (?<prompt>[\d,]+)/,
  // SiliconFlow
  /input tokens \((?<prompt>[\d,]+)\) has exceeded max_prompt_tokens \((?<max>[\d,]+)/,
  /prompt_tokens \((?<prompt>[\d,]+)\) must be less than max_seq_len \((?<max>[\d,]+)/,
  // Cerebras
  /current length is (?<prompt>[\d,]+) while limit is (?<max>[\d,]+)/,
  // Groq with 413 and OpenAI with 429: larger than a minute's allowance, so that waiting does not help.
  /request too large for .{0,200}limit:? (?<max>[\d,]+).{1,20}requested:? (?<prompt>[\d,]+)/,
  // With the limit alone: DashScope, LM Studio, Poolside, and the rest of those above
  /range of input length should be \[\d+, ?(?<max>[\d,]+)\]/,
  /context length of only (?<max>[\d,]+)/,
  /maximum allowed input length of (?<max>[\d,]+)/,
  /maximum (?:context|prompt|input) length (?:is|of) \(?(?<max>\d[\d,]*)/,
  /context length is only (?<max>[\d,]+)/,
  // Without numbers
  /prompt (?:is )?too long/,
  /prompt exceeds max(?:imum)? length/,
  /input is too long for requested model/,
  /number of input tokens exceeds/,
  /(?:exceeds?|exceeded) the (?:model'?s |maximum |max |available )*context (?:window|length|size|limit)/,
  /exceeds? (?:the |your )?(?:model'?s )?maximum context length/,
  /exceeded (?:max )?context length/,
  /context (?:window|length|size) (?:has been |was |is )?(?:exceeded|exceeds|full)/,
  /input length.{0,40}exceeds?.{0,40}context length/,
  /greater than the context length/,
  /tokens in request more than max tokens allowed/,
  /input token count.{0,40}exceeds? the maximum/,
  /exceeds? (?:the )?token limit|token limit exceeded/,
  /reduce the length of the (?:messages|prompt|input)/,
  /context[_ ]length[_ ]exceeded|model_context_window_exceeded|exceed_context_size/,
  // Bedrock says it of a rate, too: "Too many tokens, please wait before trying again".
  /too many (?:input )?tokens(?!,? (?:per|please wait))/,
]

/** Codes that say it by themselves. */
const CODES = new Set([
  'context_length_exceeded',
  'model_context_window_exceeded',
  'model_max_prompt_tokens_exceeded',
  'exceed_context_size_error',
  'context_exceeded',
  '1261', // Zhipu
])

/** No sentence is longer; what comes after is somebody's stack trace or the prompt itself. */
const MAX_CHARACTERS = 4000

/**
 * The numbers of an overflow, perhaps none of them; `undefined` when it is not about the context. `error`
 * is the vendor's object, where it has codes and numbers in fields of their own.
 */
export function readOverflow(text: string, error: JsonObject = {}): FaultLimits | undefined {
  const sentence = text.slice(0, MAX_CHARACTERS).toLowerCase()
  // Most errors are about something else.
  const isWorded = /token|context|too long|length/.test(sentence)
  const match = isWorded ? firstMatch(sentence) : undefined
  if (match === undefined && !isCoded(error)) return undefined
  const said = toLimits(match?.groups ?? {})
  // llama.cpp has them in fields.
  const prompt = said.prompt ?? toCount(error['n_prompt_tokens'])
  const max = said.max ?? toCount(error['n_ctx'])
  return {
    ...said,
    ...(prompt === undefined ? {} : { prompt }),
    ...(max === undefined ? {} : { max }),
  }
}

function firstMatch(sentence: string): RegExpExecArray | undefined {
  for (const pattern of SENTENCES) {
    const match = pattern.exec(sentence)
    if (match !== null) return match
  }
  return undefined
}

function isCoded(error: JsonObject): boolean {
  for (const field of ['code', 'type']) {
    const value = error[field]
    if ((typeof value === 'string' || typeof value === 'number') && CODES.has(String(value)))
      return true
  }
  return false
}

function toLimits(groups: Readonly<Record<string, string | undefined>>): FaultLimits {
  const max = toNumber(groups['max'])
  const output = toNumber(groups['output'])
  const total = toNumber(groups['total'])
  const prompt =
    toNumber(groups['prompt']) ?? (total === undefined ? undefined : total - (output ?? 0))
  return {
    ...(prompt === undefined ? {} : { prompt }),
    ...(max === undefined ? {} : { max }),
    ...(output === undefined ? {} : { output }),
  }
}

function toNumber(digits: string | undefined): number | undefined {
  const number = Number(digits?.replaceAll(',', ''))
  return digits !== undefined && Number.isSafeInteger(number) ? number : undefined
}
