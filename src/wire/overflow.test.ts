import { describe, expect, test } from 'vitest'
import type { FaultLimits } from '../event/fault.ts'
import { readOverflow } from './overflow.ts'

/** One row for each wording: who says it, the sentence, the numbers in it. */
const WORDINGS: readonly (readonly [string, string, FaultLimits])[] = [
  [
    'Anthropic',
    'prompt is too long: 213462 tokens > 200000 maximum',
    { prompt: 213462, max: 200000 },
  ],
  [
    'Anthropic, with max_tokens',
    'input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens` and try again',
    { prompt: 188240, output: 21333, max: 200000 },
  ],
  ['Anthropic on Vertex', 'Prompt is too long', {}],
  [
    'OpenAI',
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 130012 tokens. Please reduce the length of the messages.",
    { prompt: 130012, max: 128000 },
  ],
  [
    'OpenAI, with functions',
    "This model's maximum context length is 16385 tokens. However, your messages resulted in 17919 tokens (17500 in the messages, 419 in the functions). Please reduce the length of the messages or functions.",
    { prompt: 17919, max: 16385 },
  ],
  [
    'OpenAI, of old',
    "This model's maximum context length is 8191 tokens, however you requested 10346 tokens (10341 in your prompt; 5 for the completion). Please reduce your prompt; or completion length.",
    { prompt: 10341, output: 5, max: 8191 },
  ],
  [
    'OpenAI Responses',
    'Your input exceeds the context window of this model. Please adjust your input and try again.',
    {},
  ],
  [
    'OpenAI, configured',
    'Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 301003 tokens. Please reduce the length of the messages.',
    { prompt: 301003, max: 272000 },
  ],
  [
    'OpenAI, more than a minute allows',
    'Request too large for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Requested 41000. The input or output tokens must be reduced in order to run successfully.',
    { prompt: 41000, max: 30000 },
  ],
  [
    'DeepSeek',
    "This model's maximum context length is 65536 tokens. However, you requested 70000 tokens (62000 in the messages, 8000 in the completion). Please reduce the length of the messages or completion.",
    { prompt: 62000, output: 8000, max: 65536 },
  ],
  [
    'vLLM',
    "This model's maximum context length is 131072 tokens. However, you requested 102400 output tokens and your prompt contains at least 28673 input tokens, for a total of at least 131073 tokens. Please reduce the length of the input prompt or the number of requested output tokens.",
    { prompt: 28673, output: 102400, max: 131072 },
  ],
  [
    'vLLM, max_tokens',
    "'max_tokens' or 'max_completion_tokens' is too large: 2000. This model's maximum context length is 4096 tokens and your request has 2104 input tokens (2000 > 4096 - 2104).",
    { prompt: 2104, output: 2000, max: 4096 },
  ],
  [
    'vLLM, decoder',
    'The decoder prompt (length 40000) is longer than the maximum model length of 32768. Make sure that `max_model_len` is no smaller than the number of text tokens.',
    { prompt: 40000, max: 32768 },
  ],
  [
    'vLLM, engine',
    'The engine prompt length 33000 exceeds the max_model_len 32768. Please reduce prompt.',
    { prompt: 33000, max: 32768 },
  ],
  [
    'SGLang',
    "The input (40000 tokens) is longer than the model's context length (32768 tokens).",
    { prompt: 40000, max: 32768 },
  ],
  [
    'SGLang, with output',
    "Requested token count exceeds the model's maximum context length of 32768 tokens. You requested a total of 40000 tokens: 30000 tokens from the input messages and 10000 tokens for the completion. Please reduce the number of tokens.",
    { prompt: 30000, output: 10000, max: 32768 },
  ],
  [
    'text-generation-inference, Together',
    'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4000 `inputs` tokens and 512 `max_new_tokens`',
    { prompt: 4000, output: 512, max: 4096 },
  ],
  [
    'text-generation-inference',
    'Input validation error: `inputs` must have less than 4096 tokens. Given: 5000',
    { prompt: 5000, max: 4096 },
  ],
  [
    'llama.cpp',
    'request (80123 tokens) exceeds the available context size (65536 tokens), try increasing it',
    { prompt: 80123, max: 65536 },
  ],
  [
    'llama.cpp, of old',
    'the request exceeds the available context size. try increasing the context size or enable context shift',
    {},
  ],
  ['llama.cpp, in mid-stream', 'Context size has been exceeded.', {}],
  [
    'llama-cpp-python',
    'Requested tokens (5000) exceed context window of 4096',
    { prompt: 5000, max: 4096 },
  ],
  ['ds4', 'Prompt tokens (9000) exceeds context size (8192)', { prompt: 9000, max: 8192 }],
  ['Ollama', 'prompt too long; exceeded max context length by 3 tokens', {}],
  ['Ollama, embedding', 'the input length exceeds the context length', {}],
  [
    'LM Studio',
    'The number of tokens to keep from the initial prompt is greater than the context length. Try to load the model with a larger context length, or provide a shorter input',
    {},
  ],
  [
    'LM Studio, with numbers',
    'Trying to keep the first 6123 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.',
    { prompt: 6123, max: 4096 },
  ],
  [
    'OpenRouter',
    'This endpoint\'s maximum context length is 65536 tokens. However, you requested about 70500 tokens (60000 of text input, 8500 of tool input, 2000 in the output). Please reduce the length of either one, or use the "middle-out" transform to compress your prompt automatically.',
    { prompt: 68500, output: 2000, max: 65536 },
  ],
  [
    'Gemini',
    'The input token count (1066750) exceeds the maximum number of tokens allowed (1048575).',
    { prompt: 1066750, max: 1048575 },
  ],
  [
    'Vertex',
    'Unable to submit request because the input token count is 1100000 but model only supports up to 1048576. Reduce the input token count and try again.',
    { prompt: 1100000, max: 1048576 },
  ],
  ['Bedrock', 'Input is too long for requested model.', {}],
  ['Bedrock, Nova', 'Input Tokens Exceeded: Number of input tokens exceeds maximum length.', {}],
  [
    'Mistral',
    'Prompt contains 65673 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
    { prompt: 65673, max: 32768 },
  ],
  ['Groq', 'Please reduce the length of the messages or completion.', {}],
  [
    'Groq, 413',
    'Request too large for model `llama-3.3-70b-versatile` in organization `org_x` service tier `on_demand` on tokens per minute (TPM): Limit 12000, Requested 19500, please reduce your message size and try again.',
    { prompt: 19500, max: 12000 },
  ],
  [
    'xAI',
    "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    { prompt: 537812, max: 131072 },
  ],
  [
    'Fireworks',
    'The prompt is too long: 140000, model maximum context length: 131071',
    { prompt: 140000, max: 131071 },
  ],
  [
    'GitHub Copilot',
    'prompt token count of 130500 exceeds the limit of 128000',
    { prompt: 130500, max: 128000 },
  ],
  [
    'Cohere',
    'too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 4292. Try using a shorter prompt, or enabling prompt truncating.',
    { prompt: 4292, max: 4081 },
  ],
  ['MiniMax', 'invalid params, context window exceeds limit (2013)', {}],
  [
    'Moonshot',
    'Invalid request: Your request exceeded model token limit: 131072 (requested: 140000)',
    { prompt: 140000, max: 131072 },
  ],
  ['Zhipu', 'Prompt exceeds max length', {}],
  ['Zhipu, another', 'tokens in request more than max tokens allowed', {}],
  [
    'DashScope',
    '<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]',
    { max: 129024 },
  ],
  [
    'SiliconFlow',
    'number of input tokens (204703) has exceeded max_prompt_tokens (202752) limit.',
    { prompt: 204703, max: 202752 },
  ],
  [
    'SiliconFlow, another',
    'length of prompt_tokens (40000) must be less than max_seq_len (32768).',
    { prompt: 40000, max: 32768 },
  ],
  [
    'Cerebras',
    'Please reduce the length of the messages or completion. Current length is 9876 while limit is 8192',
    { prompt: 9876, max: 8192 },
  ],
  ['Poolside', 'Input exceeds the maximum allowed input length of 131,072 tokens', { max: 131072 }],
  [
    'LiteLLM, which hands on',
    'litellm.BadRequestError: VertexAIException BadRequestError - {"error":{"code":400,"message":"The input token count (1,066,750) exceeds the maximum number of tokens allowed (1,048,575).","status":"INVALID_ARGUMENT"}}',
    { prompt: 1066750, max: 1048575 },
  ],
]

describe('an upstream says that the context is too long', () => {
  test.each(WORDINGS)('%s', (_, sentence, limits) => {
    expect(readOverflow(sentence)).toEqual(limits)
  })
})

test('a code says it by itself, and fields have the numbers', () => {
  for (const code of ['context_length_exceeded', 'model_max_prompt_tokens_exceeded', 1261])
    expect(readOverflow('Bad request', { code })).toEqual({})
  const fields = { type: 'exceed_context_size_error', n_prompt_tokens: 900, n_ctx: 512 }
  expect(readOverflow('the request is too big', fields)).toEqual({ prompt: 900, max: 512 })
})

describe('an upstream says something else about tokens', () => {
  test.each([
    ['a rate on Bedrock', 'Too many tokens, please wait before trying again.'],
    ['a day on Bedrock', 'Too many tokens per day, please wait before trying again.'],
    [
      'a rate on OpenAI',
      'Rate limit reached for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000. Please try again in 2s.',
    ],
    [
      'too much output asked for',
      'max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens for claude-sonnet-4-5',
    ],
    [
      'too much output on OpenAI',
      'max_tokens is too large: 20000. This model supports at most 16384 completion tokens, whereas you provided 20000.',
    ],
    [
      'too much output elsewhere',
      'The parameter `max_tokens` specified in the request are not valid: integer above maximum value, expected a value <= 32768, but got 65536',
    ],
    ['a name', 'tools.0.name: String should have at most 64 characters'],
    ['nothing of the kind', 'Internal server error'],
  ])('%s', (_, sentence) => {
    expect(readOverflow(sentence)).toBeUndefined()
  })
})

test('a sentence without end is looked at in no time', () => {
  const from = performance.now()
  for (const piece of [
    'context length is 1 tokens',
    'prompt (length ',
    '1,',
    'input length exceed ',
  ])
    readOverflow(piece.repeat(100_000))
  expect(performance.now() - from).toBeLessThan(200)
})
