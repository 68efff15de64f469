/** A conversation by OpenAI's SDK on Chat Completions. Neighbours: `talk.ts` is the contract. */
import OpenAI from 'openai'
import { SYSTEM, type Heard, type OpenTalk, type Say, type TalkOptions } from './talk.ts'

type Body = OpenAI.ChatCompletionCreateParamsNonStreaming
type Turn = OpenAI.ChatCompletionMessageParam
type Completion = OpenAI.ChatCompletion

export const talkByChat: OpenTalk = ({ baseUrl, apiKey }, options) => {
  const client = new OpenAI({ baseURL: baseUrl, apiKey, maxRetries: 0 })
  const messages: Turn[] = [{ role: 'system', content: SYSTEM }]
  return async (say) => {
    messages.push(...toTurns(say))
    const body = toBody(messages, options)
    const { signal } = options
    const { completion, thinking } = options.stream
      ? await streamed(client, body, options)
      : whole(await client.chat.completions.create(body, signal === undefined ? {} : { signal }))
    const message = completion.choices[0]?.message
    if (message === undefined) throw new Error('There is no message')
    messages.push(toEcho(message, thinking, options.echo ?? 'sdk'))
    return toHeard(completion, thinking)
  }
}

interface Collected {
  readonly completion: Completion
  readonly thinking: string
}

const thinkingIn = (of: unknown): string => {
  const text = (of as { reasoning_content?: unknown } | undefined)?.reasoning_content
  return typeof text === 'string' ? text : ''
}

const whole = (completion: Completion): Collected => ({
  completion,
  thinking: thinkingIn(completion.choices[0]?.message),
})

async function streamed(
  client: OpenAI,
  body: Body,
  { onText, signal }: TalkOptions,
): Promise<Collected> {
  const stream = client.chat.completions.stream(
    { ...body, stream_options: { include_usage: true } } as never,
    signal === undefined ? {} : { signal },
  )
  let thinking = ''
  stream.on('chunk', (chunk) => (thinking += thinkingIn(chunk.choices[0]?.delta)))
  stream.on('content', () => onText?.())
  return { completion: await stream.finalChatCompletion(), thinking }
}

function toEcho(
  message: OpenAI.ChatCompletionMessage,
  thinking: string,
  echo: NonNullable<TalkOptions['echo']>,
): Turn {
  if (echo === 'sdk') return message
  const { role, content, tool_calls: calls } = message
  return {
    role,
    content,
    ...(calls === undefined ? {} : { tool_calls: calls.map(withoutParsed) }),
    ...(echo === 'collected' && thinking !== '' ? { reasoning_content: thinking } : {}),
  }
}

/** The helper adds the arguments as an object, which is not for the API. */
const withoutParsed = (
  call: OpenAI.ChatCompletionMessageToolCall,
): OpenAI.ChatCompletionMessageToolCall => {
  if (call.type !== 'function') return call
  const { name, arguments: text } = call.function
  return { id: call.id, type: 'function', function: { name, arguments: text } }
}

function toBody(
  messages: Turn[],
  { model, tools, thinking, schema, more }: TalkOptions,
): Omit<Body, 'stream'> {
  return {
    model,
    messages: [...messages],
    ...(tools !== undefined && {
      tools: tools.map(({ name, description, schema: parameters }) => ({
        type: 'function' as const,
        function: { name, description, parameters },
      })),
    }),
    ...(thinking === true && { reasoning_effort: 'medium' as const }),
    ...(schema !== undefined && {
      response_format: {
        type: 'json_schema' as const,
        json_schema: { name: 'weather', schema, strict: true },
      },
    }),
    ...more,
  }
}

/** Its results have no room for pictures and no mark for errors. */
const toTurns = ({ text, image, results = [] }: Say): Turn[] => [
  ...results.map((result): Turn => ({
    role: 'tool',
    tool_call_id: result.id,
    content: result.text,
  })),
  ...(text === undefined && image === undefined
    ? []
    : [
        {
          role: 'user' as const,
          content: [
            ...(text === undefined ? [] : [{ type: 'text' as const, text }]),
            ...(image === undefined
              ? []
              : [
                  {
                    type: 'image_url' as const,
                    image_url: { url: `data:image/png;base64,${image}` },
                  },
                ]),
          ],
        },
      ]),
]

function toHeard({ choices, usage }: Completion, thinking: string): Heard {
  const [choice] = choices
  return {
    text: choice?.message.content ?? '',
    thinking,
    calls: (choice?.message.tool_calls ?? []).flatMap((call) =>
      call.type === 'function'
        ? [{ id: call.id, name: call.function.name, args: JSON.parse(call.function.arguments) }]
        : [],
    ),
    finish: choice?.finish_reason,
    input: usage?.prompt_tokens,
    output: usage?.completion_tokens,
  }
}
