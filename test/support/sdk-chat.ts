/**
 * What OpenAI's SDK is led through on Chat Completions, by its helper, by its chunks and as JSON.
 * Neighbours: `sdk-flow.ts` is the contract, `sdk-responses.ts` the SDK's other half. The SDK is handed
 * in, so that one text serves several of its releases.
 */
import type OpenAI from 'openai'
import {
  askEveryWay,
  LEAVES_AFTER,
  leaving,
  modelFor,
  promptFor,
  PROMPTS,
  WEATHER,
  weatherIn,
  type Call,
  type Flow,
  type Flows,
  type Outcome,
  type Part,
  type Place,
} from './sdk-flow.ts'

type Client = typeof OpenAI
type Completion = OpenAI.ChatCompletion
type Body = Omit<OpenAI.ChatCompletionCreateParamsNonStreaming, 'stream'>
type Turn = OpenAI.ChatCompletionMessageParam

export function chatFlows(Sdk: Client): Flows {
  const open = ({ baseUrl, apiKey, maxRetries = 0 }: Place): OpenAI =>
    new Sdk({ baseURL: baseUrl, apiKey, maxRetries })

  const byHelper =
    (part: Part): Flow =>
    async (place) => {
      const stream = open(place).chat.completions.stream(toBody(place, part))
      return toSaid([await stream.finalChatCompletion()])
    }
  const byChunks =
    (part: Part): Flow =>
    async (place) => {
      const chunks: unknown[] = []
      const stream = await open(place).chat.completions.create({
        ...toBody(place, part),
        stream: true,
        stream_options: { include_usage: true },
      })
      for await (const chunk of stream) chunks.push(chunk)
      return { type: 'told', told: chunks }
    }
  const asJson =
    (part: Part): Flow =>
    async (place) =>
      toSaid([await open(place).chat.completions.create(toBody(place, part))])

  return {
    ...askEveryWay({ byHelper, byEvents: byChunks, asJson }),
    'tool loop by stream': (place) => runTools(open(place), place, 'loop', true),
    'tool loop as JSON': (place) => runTools(open(place), place, 'loop', false),
    'parallel tools by stream': (place) => runTools(open(place), place, 'tools', true),
    'parallel tools as JSON': (place) => runTools(open(place), place, 'tools', false),
    'thinking by stream': (place) => thinkTwice(place, collect(open(place))),
    'thinking as JSON': (place) =>
      thinkTwice(place, (body) => open(place).chat.completions.create(body)),
    'leaving before the first byte': (place) => leaveEarly(open(place), place),
    'leaving in mid-stream': (place) => leaveInside(open(place), place),
    'leaving the loop': (place) => leaveLoop(open(place), place),
    models: async (place) => {
      const names: string[] = []
      for await (const { id } of open(place).models.list()) names.push(id)
      return { type: 'told', told: names }
    },
  }
}

const toBody = (place: Place, part: Part): Body => ({
  model: modelFor(place, part),
  messages: [{ role: 'user', content: promptFor(part) }],
})

/** The SDK's own runner leads the conversation. */
async function runTools(
  client: OpenAI,
  place: Place,
  part: 'loop' | 'tools',
  stream: boolean,
): Promise<Outcome> {
  const calls: Call[] = []
  const body = {
    model: modelFor(place, part),
    messages: [{ role: 'user' as const, content: PROMPTS[part] }],
    tools: [
      {
        type: 'function' as const,
        function: {
          name: WEATHER.name,
          description: WEATHER.description,
          parameters: WEATHER.schema,
          parse: (text: string): object => JSON.parse(text) as object,
          function(args: object) {
            calls.push({ name: WEATHER.name, arguments: args })
            return weatherIn(args)
          },
        },
      },
    ],
  }
  const runner = stream
    ? client.chat.completions.runTools({ ...body, stream: true })
    : client.chat.completions.runTools(body)
  await runner.done()
  return toSaid(runner.allChatCompletions(), calls, runner.messages)
}

/** The helper's message, with the reasoning that the helper does not know. */
const collect = (client: OpenAI) => async (body: Body) => {
  const stream = client.chat.completions.stream(body)
  let thinking = ''
  stream.on('chunk', (chunk) => {
    const delta = chunk.choices[0]?.delta as Record<string, unknown> | undefined
    if (typeof delta?.['reasoning_content'] === 'string') thinking += delta['reasoning_content']
  })
  const completion: Completion = await stream.finalChatCompletion()
  const message = completion.choices[0]?.message
  if (message !== undefined) Object.assign(message, { reasoning_content: thinking })
  return completion
}

/** What was thought in the first turn is sent back in the second. */
async function thinkTwice(
  place: Place,
  ask: (body: Body) => PromiseLike<Completion>,
): Promise<Outcome> {
  const question: Turn = { role: 'user', content: PROMPTS.thinking }
  const body = { model: modelFor(place, 'thinking'), ...place.thinking }
  const first = await ask({ ...body, messages: [question] })
  const answer = first.choices[0]?.message as unknown as Record<string, unknown> | undefined
  const isOpenAi = place.model !== undefined
  const back = {
    role: 'assistant',
    content: answer?.['content'],
    // Not a field of OpenAI's own: it is what compatible servers want to see again.
    ...(isOpenAi ? {} : { reasoning_content: answer?.['reasoning_content'] }),
  } as Turn
  const second = await ask({
    ...body,
    messages: [question, back, { role: 'user', content: PROMPTS.again }],
  })
  return toSaid([first, second])
}

const leaveEarly = (client: OpenAI, place: Place): Promise<Outcome> =>
  leaving(async (leave, signal) => {
    setTimeout(leave, LEAVES_AFTER)
    const stream = await client.chat.completions.create(
      { ...toBody(place, 'slow'), stream: true },
      { signal },
    )
    for await (const _ of stream) continue
  })

const leaveInside = (client: OpenAI, place: Place): Promise<Outcome> =>
  leaving(async (leave) => {
    const stream = client.chat.completions.stream(toBody(place, 'long'))
    stream.once('content', () => {
      leave()
      stream.abort()
    })
    await stream.finalChatCompletion()
  })

const leaveLoop = (client: OpenAI, place: Place): Promise<Outcome> =>
  leaving(async (leave) => {
    const stream = await client.chat.completions.create({ ...toBody(place, 'long'), stream: true })
    for await (const chunk of stream) {
      if ((chunk.choices[0]?.delta.content ?? '') === '') continue
      leave()
      break
    }
  })

function toSaid(
  completions: readonly Completion[],
  calls: readonly Call[] = [],
  turns?: unknown,
): Outcome {
  const messages = completions.map(
    ({ choices }) => choices[0]?.message as unknown as Record<string, unknown> | undefined,
  )
  const join = (name: string): string =>
    messages
      .map((message) => message?.[name])
      .filter((text) => typeof text === 'string')
      .join('\n')
  return {
    type: 'said',
    said: {
      text: join('content'),
      thinking: join('reasoning_content'),
      calls,
      finish: completions.at(-1)?.choices[0]?.finish_reason ?? null,
      raw: turns === undefined ? completions : { completions, turns },
    },
  }
}
