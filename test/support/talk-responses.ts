/** A conversation by OpenAI's SDK on Responses. Neighbours: `talk.ts` is the contract. */
import OpenAI from 'openai'
import { SYSTEM, type Heard, type OpenTalk, type Say, type TalkOptions } from './talk.ts'

type Body = Omit<OpenAI.Responses.ResponseCreateParamsNonStreaming, 'stream'>
type Item = OpenAI.Responses.ResponseInputItem
type Response = OpenAI.Responses.Response

export const talkByResponses: OpenTalk = ({ baseUrl, apiKey }, options) => {
  const client = new OpenAI({ baseURL: baseUrl, apiKey, maxRetries: 0 })
  const input: Item[] = []
  return async (say) => {
    input.push(...toItems(say))
    const body = toBody(input, options)
    const { signal } = options
    const response = options.stream
      ? await streamed(client, body, options)
      : await client.responses.create(body, signal === undefined ? {} : { signal })
    input.push(...(response.output.map(withoutParsed) as Item[]))
    return toHeard(response)
  }
}

function streamed(client: OpenAI, body: Body, { onText, signal }: TalkOptions): Promise<Response> {
  const stream = client.responses.stream(body, signal === undefined ? {} : { signal })
  stream.on('response.output_text.delta', () => onText?.())
  return stream.finalResponse()
}

/** The helper adds what it parsed, which is not for the API. */
const withoutParsed = (item: object): object => {
  const { parsed_arguments: _, ...rest } = item as Record<string, unknown>
  const content = rest['content']
  if (!Array.isArray(content)) return rest
  return {
    ...rest,
    content: content.map(({ parsed: __, ...part }: Record<string, unknown>) => part),
  }
}

function toBody(input: Item[], { model, tools, thinking, schema, more }: TalkOptions): Body {
  return {
    model,
    instructions: SYSTEM,
    input: [...input],
    store: false,
    ...(thinking === true && {
      include: ['reasoning.encrypted_content' as const],
      reasoning: { effort: 'medium' as const, summary: 'auto' as const },
    }),
    ...(tools !== undefined && {
      tools: tools.map(({ name, description, schema: parameters }) => ({
        type: 'function' as const,
        name,
        description,
        parameters,
        strict: false,
      })),
    }),
    ...(schema !== undefined && {
      text: { format: { type: 'json_schema' as const, name: 'weather', schema, strict: true } },
    }),
    ...more,
  }
}

const picture = (data: string): OpenAI.Responses.ResponseInputImage => ({
  type: 'input_image',
  image_url: `data:image/png;base64,${data}`,
  detail: 'auto',
})

const toItems = ({ text, image, results = [] }: Say): Item[] => [
  ...results.map((result): Item => ({
    type: 'function_call_output',
    call_id: result.id,
    output:
      result.image === undefined
        ? result.text
        : [{ type: 'input_text', text: result.text }, picture(result.image)],
  })),
  ...(text === undefined && image === undefined
    ? []
    : [
        {
          role: 'user' as const,
          content: [
            ...(text === undefined ? [] : [{ type: 'input_text' as const, text }]),
            ...(image === undefined ? [] : [picture(image)]),
          ],
        },
      ]),
]

function toHeard({ output, status, usage }: Response): Heard {
  const parts = output.flatMap((item) => (item.type === 'message' ? item.content : []))
  return {
    text: parts.map((part) => (part.type === 'output_text' ? part.text : '')).join(''),
    thinking: output
      .flatMap((item) => (item.type === 'reasoning' ? item.summary : []))
      .map((part) => part.text)
      .join(''),
    calls: output.flatMap((item) =>
      item.type === 'function_call'
        ? [{ id: item.call_id, name: item.name, args: JSON.parse(item.arguments) }]
        : [],
    ),
    finish: status,
    input: usage?.input_tokens,
    output: usage?.output_tokens,
  }
}
