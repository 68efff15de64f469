/**
 * What a sample says → the request body of a wire, and the one after it. Neighbours: `samples.ts` has the list. Runs in a
 * browser too.
 */
import type { JsonObject } from '../../base/json.ts'
import type { WireName } from '../../event/event.ts'

export interface DemoSample {
  readonly id: string
  readonly title: string
  /** What there is to see. */
  readonly says: string
  readonly wire: WireName
  readonly path: string
  readonly body: JsonObject
  /** The next request of the same conversation, where the answer had calls: `sent` is the one before. */
  next?(sent: JsonObject, calls: readonly DemoCall[]): JsonObject
}

/** A call of an answer, as its block has it. */
export interface DemoCall {
  readonly id: string
  readonly name: string
  /** JSON text. */
  readonly arguments: string
}

/** Declared as each wire wants it. */
export interface SampleTool {
  readonly name: string
  readonly description: string
  readonly schema: JsonObject
}

interface Said {
  readonly model: string
  readonly prompt: string
  readonly tools?: readonly SampleTool[]
  readonly isStream?: boolean
}

type Sample = Pick<DemoSample, 'id' | 'title' | 'says' | 'next'> & Said

const MAX_TOKENS = 4000

export const onMessages = ({
  model,
  prompt,
  tools,
  isStream = true,
  ...about
}: Sample): DemoSample => ({
  ...about,
  wire: 'anthropic-messages',
  path: '/v1/messages',
  body: {
    model,
    max_tokens: MAX_TOKENS,
    stream: isStream,
    messages: [{ role: 'user', content: prompt }],
    ...(tools === undefined
      ? {}
      : {
          tools: tools.map(({ name, description, schema }) => ({
            name,
            description,
            input_schema: schema,
          })),
        }),
  },
})

export const onChat = ({
  model,
  prompt,
  tools,
  isStream = true,
  ...about
}: Sample): DemoSample => ({
  ...about,
  wire: 'openai-chat',
  path: '/v1/chat/completions',
  body: {
    model,
    stream: isStream,
    ...(isStream ? { stream_options: { include_usage: true } } : {}),
    messages: [{ role: 'user', content: prompt }],
    ...(tools === undefined
      ? {}
      : {
          tools: tools.map(({ name, description, schema }) => ({
            type: 'function',
            function: { name, description, parameters: schema },
          })),
        }),
  },
})

export const onResponses = ({
  model,
  prompt,
  isStream = true,
  ...about
}: Omit<Sample, 'tools' | 'next'>): DemoSample => ({
  ...about,
  wire: 'openai-responses',
  path: '/v1/responses',
  body: { model, stream: isStream, store: false, input: prompt },
})

/** Each result says that its tool did what it was asked to. */
export function nextMessages(sent: JsonObject, calls: readonly DemoCall[]): JsonObject {
  const before: unknown = sent['messages']
  const uses = calls.map(({ id, name, arguments: text }) => ({
    type: 'tool_use',
    id,
    name,
    input: JSON.parse(text) as unknown,
  }))
  const results = calls.map(({ id, name }) => ({
    type: 'tool_result',
    tool_use_id: id,
    content: `${name} is done.`,
  }))
  return {
    ...sent,
    messages: [
      ...(Array.isArray(before) ? (before as readonly unknown[]) : []),
      { role: 'assistant', content: uses },
      { role: 'user', content: results },
    ],
  }
}
