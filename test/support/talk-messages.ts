/** A conversation by Anthropic's SDK. Neighbours: `talk.ts` is the contract. */
import Anthropic from '@anthropic-ai/sdk'
import { SYSTEM, type Heard, type OpenTalk, type Say, type TalkOptions } from './talk.ts'

type Message = Anthropic.Message
type Content = Anthropic.ContentBlockParam

export const talkByMessages: OpenTalk = ({ baseUrl, apiKey }, options) => {
  const client = new Anthropic({ baseURL: baseUrl, apiKey, maxRetries: 0 })
  const messages: Anthropic.MessageParam[] = []
  return async (say) => {
    messages.push({ role: 'user', content: toContent(say) })
    const body = toBody(messages, options)
    const { signal } = options
    const message = options.stream
      ? await streamed(client, body, options)
      : await client.messages.create(body, signal === undefined ? {} : { signal })
    messages.push({ role: 'assistant', content: message.content })
    return toHeard(message)
  }
}

const streamed = (
  client: Anthropic,
  body: Anthropic.MessageCreateParamsNonStreaming,
  { onText, signal }: TalkOptions,
): Promise<Message> => {
  const stream = client.messages.stream(body, signal === undefined ? {} : { signal })
  stream.on('text', () => onText?.())
  return stream.finalMessage()
}

function toBody(
  messages: Anthropic.MessageParam[],
  { model, tools, thinking, schema, more }: TalkOptions,
): Anthropic.MessageCreateParamsNonStreaming {
  return {
    model,
    max_tokens: 8192,
    system: [{ type: 'text', text: SYSTEM, cache_control: { type: 'ephemeral' } }],
    messages: [...messages],
    ...(tools !== undefined && {
      tools: tools.map(({ name, description, schema: input_schema }) => ({
        name,
        description,
        input_schema,
      })),
    }),
    ...(thinking === true && { thinking: { type: 'enabled', budget_tokens: 2048 } }),
    ...(schema !== undefined && { output_config: { format: { type: 'json_schema', schema } } }),
    ...more,
  } as Anthropic.MessageCreateParamsNonStreaming
}

const picture = (data: string): Anthropic.ImageBlockParam => ({
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data },
})

const toContent = ({ text, image, results = [] }: Say): Content[] => [
  ...results.map((result): Content => ({
    type: 'tool_result',
    tool_use_id: result.id,
    ...(result.isError === true ? { is_error: true } : {}),
    content: [
      // An empty block is refused; a result may be empty.
      ...(result.text === '' ? [] : [{ type: 'text' as const, text: result.text }]),
      ...(result.image === undefined ? [] : [picture(result.image)]),
    ],
  })),
  ...(image === undefined ? [] : [picture(image)]),
  ...(text === undefined ? [] : [{ type: 'text' as const, text }]),
]

function toHeard({ content, stop_reason: finish, usage }: Message): Heard {
  return {
    text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    thinking: content.map((block) => (block.type === 'thinking' ? block.thinking : '')).join(''),
    calls: content.flatMap((block) =>
      block.type === 'tool_use' ? [{ id: block.id, name: block.name, args: block.input }] : [],
    ),
    finish,
    input:
      usage.input_tokens +
      (usage.cache_read_input_tokens ?? 0) +
      (usage.cache_creation_input_tokens ?? 0),
    output: usage.output_tokens,
  }
}
