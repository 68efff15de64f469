/**
 * A scripted turn as Chat Completions says it; what was thought stands in `reasoning_content`, as DeepSeek has
 * it; the wire has one order for all turns. Neighbours: `scripted.ts` is the contract.
 */
import {
  issue,
  pieces,
  stepsOf,
  USAGE,
  type IssuedCall,
  type ScriptedFault,
  type ScriptedTurn,
  type WriteTurn,
  type WrittenFault,
} from './scripted.ts'

export const writeChat: WriteTurn = (turn, serial, model) => {
  const { thinking, text } = turn
  const issued = issue(stepsOf(turn), `call_Chat${serial}`)
  const common = { id: `chatcmpl-scripted${serial}`, created: 1_790_000_000, model }
  const finish = issued.length > 0 ? 'tool_calls' : 'stop'
  const usage = {
    prompt_tokens: USAGE.input,
    completion_tokens: USAGE.output,
    total_tokens: USAGE.input + USAGE.output,
    prompt_tokens_details: { cached_tokens: USAGE.cached },
  }
  const message = {
    role: 'assistant',
    content: text ?? null,
    ...(thinking === undefined ? {} : { reasoning_content: thinking }),
    ...(issued.length === 0 ? {} : { tool_calls: issued.map(toCall) }),
  }
  const choice = { index: 0, message, logprobs: null, finish_reason: finish }
  const chunk = (fields: object): string =>
    frame({ ...common, object: 'chat.completion.chunk', ...fields })
  const delta = (fields: object, reason: string | null = null): string =>
    chunk({ choices: [{ index: 0, delta: fields, finish_reason: reason }] })
  return {
    body: { ...common, object: 'chat.completion', choices: [choice], usage },
    frames: [
      delta({ role: 'assistant', content: '' }),
      ...deltasOf(turn, issued).map((fields) => delta(fields)),
      ...endOf(turn, [delta({}, finish), chunk({ choices: [], usage }), 'data: [DONE]\n\n']),
    ],
    issued: {
      calls: issued,
      sequence: [...(thinking === undefined ? [] : [thinking]), ...issued.map(({ id }) => id)],
      seals: [],
    },
  }
}

const frame = (data: object): string => `data: ${JSON.stringify(data)}\n\n`

const toCall = ({ id, name, args }: IssuedCall): object => ({
  id,
  type: 'function',
  function: { name, arguments: JSON.stringify(args) },
})

function deltasOf({ thinking, text }: ScriptedTurn, calls: readonly IssuedCall[]): object[] {
  return [
    ...pieces(thinking ?? '').map((piece) => ({ content: null, reasoning_content: piece })),
    ...pieces(text ?? '').map((content) => ({ content })),
    ...calls.flatMap((call, index) => [
      {
        tool_calls: [
          { index, id: call.id, type: 'function', function: { name: call.name, arguments: '' } },
        ],
      },
      ...pieces(JSON.stringify(call.args)).map((piece) => ({
        tool_calls: [{ index, function: { arguments: piece } }],
      })),
    ]),
  ]
}

function endOf({ ending }: ScriptedTurn, whole: readonly string[]): readonly string[] {
  if (ending === undefined) return whole
  if (ending !== 'error') return []
  return [
    frame({ error: { message: 'The server had an error', type: 'server_error', code: null } }),
  ]
}

const error = (message: string, type: string, code: string | null): object => ({
  error: { message, type, param: null, code },
})

/** Both of OpenAI's wires say it in this way. */
export const OPENAI_FAULTS: Readonly<Record<ScriptedFault, WrittenFault>> = {
  context: {
    status: 400,
    body: error(
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens. Please reduce the length of the messages.",
      'invalid_request_error',
      'context_length_exceeded',
    ),
  },
  overload: {
    status: 503,
    body: error('The engine is currently overloaded, try again later', 'server_error', null),
  },
  'rate-limit': {
    status: 429,
    headers: { 'retry-after': '7' },
    body: error('Rate limit reached for requests', 'requests', 'rate_limit_exceeded'),
  },
  auth: {
    status: 401,
    body: error('Incorrect API key provided: sk-x', 'invalid_request_error', 'invalid_api_key'),
  },
  quota: {
    status: 429,
    body: error(
      'You exceeded your current quota, please check your plan and billing details.',
      'insufficient_quota',
      'insufficient_quota',
    ),
  },
}

export const openAiError = (message: string): object =>
  error(message, 'invalid_request_error', null)
