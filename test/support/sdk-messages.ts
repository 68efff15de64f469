/**
 * What Anthropic's SDK is led through, by its helper, by its events and as JSON. Neighbours: `sdk-flow.ts`
 * is the contract. The SDK is handed in, so that one text serves several of its releases.
 */
import type Anthropic from '@anthropic-ai/sdk'
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

type Client = typeof Anthropic
type Message = Anthropic.Message | Anthropic.Beta.BetaMessage
type Body = Anthropic.MessageCreateParamsNonStreaming

export function messagesFlows(Sdk: Client): Flows {
  const open = ({ baseUrl, apiKey, maxRetries = 0 }: Place): Anthropic =>
    new Sdk({ baseURL: baseUrl, apiKey, maxRetries })

  const byHelper =
    (part: Part): Flow =>
    async (place) => {
      const message = await open(place).messages.stream(toBody(place, part)).finalMessage()
      return toSaid([message])
    }
  const byEvents =
    (part: Part): Flow =>
    async (place) => {
      const events: unknown[] = []
      const stream = await open(place).messages.create({ ...toBody(place, part), stream: true })
      for await (const event of stream) events.push(event)
      return { type: 'told', told: events }
    }
  const asJson =
    (part: Part): Flow =>
    async (place) =>
      toSaid([await open(place).messages.create(toBody(place, part))])

  return {
    ...askEveryWay({ byHelper, byEvents, asJson }),
    'tool loop by stream': (place) => runTools(open(place), place, { part: 'loop', stream: true }),
    'tool loop as JSON': (place) => runTools(open(place), place, { part: 'loop', stream: false }),
    'parallel tools by stream': (place) =>
      runTools(open(place), place, { part: 'tools', stream: true }),
    'parallel tools as JSON': (place) =>
      runTools(open(place), place, { part: 'tools', stream: false }),
    'tool thread by stream': (place) =>
      runTools(open(place), place, { part: 'loop', stream: true, hasThread: true }),
    'thinking by stream': (place) =>
      thinkTwice(place, (body) => open(place).messages.stream(body).finalMessage()),
    'thinking as JSON': (place) => thinkTwice(place, (body) => open(place).messages.create(body)),
    'leaving before the first byte': (place) => leaveEarly(open(place), place),
    'leaving in mid-stream': (place) => leaveInside(open(place), place),
    'leaving the loop': (place) => leaveLoop(open(place), place),
    'token count': async (place) => {
      const { max_tokens: _, ...body } = toBody(place, 'text')
      return { type: 'told', told: await open(place).messages.countTokens(body) }
    },
    models: async (place) => {
      const names: string[] = []
      for await (const { id } of open(place).models.list()) names.push(id)
      return { type: 'told', told: names }
    },
  }
}

const toBody = (place: Place, part: Part): Body => ({
  model: modelFor(place, part),
  max_tokens: 4096,
  messages: [{ role: 'user', content: promptFor(part) }],
})

/** The SDK's own runner leads the conversation. */
async function runTools(
  client: Anthropic,
  place: Place,
  { part, stream, hasThread = false }: ToolRun,
): Promise<Outcome> {
  const calls: Call[] = []
  const runner = client.beta.messages.toolRunner({
    model: modelFor(place, part),
    max_tokens: 4096,
    messages: [{ role: 'user', content: PROMPTS[part] }],
    tools: [
      {
        name: WEATHER.name,
        description: WEATHER.description,
        input_schema: WEATHER.schema,
        parse: (input: unknown) => input,
        run(args: unknown) {
          calls.push({ name: WEATHER.name, arguments: args })
          return weatherIn(args)
        },
      },
    ],
    max_iterations: 10,
    stream,
    ...(hasThread ? {} : { thread: false }),
  })
  const messages: Message[] = []
  for await (const turn of runner)
    messages.push('finalMessage' in turn ? await turn.finalMessage() : turn)
  return toSaid(messages, calls)
}

interface ToolRun {
  readonly part: 'loop' | 'tools'
  readonly stream: boolean
  /** Sends only what is new in each turn. */
  readonly hasThread?: boolean
}

/** What was thought in the first turn is sent back, with its signature, in the second. */
async function thinkTwice(
  place: Place,
  ask: (body: Body) => PromiseLike<Anthropic.Message>,
): Promise<Outcome> {
  const thinking = (place.thinking ?? {
    type: 'enabled',
    budget_tokens: 1024,
  }) as unknown as Anthropic.ThinkingConfigParam
  const question = { role: 'user' as const, content: PROMPTS.thinking }
  const body = { model: modelFor(place, 'thinking'), max_tokens: 4096, thinking }
  const first = await ask({ ...body, messages: [question] })
  const second = await ask({
    ...body,
    messages: [
      question,
      { role: 'assistant', content: first.content },
      { role: 'user', content: PROMPTS.again },
    ],
  })
  return toSaid([first, second])
}

const leaveEarly = (client: Anthropic, place: Place): Promise<Outcome> =>
  leaving(async (leave, signal) => {
    setTimeout(leave, LEAVES_AFTER)
    const stream = await client.messages.create(
      { ...toBody(place, 'slow'), stream: true },
      { signal },
    )
    for await (const _ of stream) continue
  })

const leaveInside = (client: Anthropic, place: Place): Promise<Outcome> =>
  leaving(async (leave) => {
    const stream = client.messages.stream(toBody(place, 'long'))
    stream.once('text', () => {
      leave()
      stream.abort()
    })
    await stream.finalMessage()
  })

const leaveLoop = (client: Anthropic, place: Place): Promise<Outcome> =>
  leaving(async (leave) => {
    const stream = await client.messages.create({ ...toBody(place, 'long'), stream: true })
    for await (const event of stream) {
      if (event.type !== 'content_block_delta') continue
      leave()
      break
    }
  })

function toSaid(messages: readonly Message[], calls?: readonly Call[]): Outcome {
  const blocks = messages.flatMap(({ content }) => content as readonly { type: string }[])
  const pick = (type: string, name: string): string =>
    blocks
      .filter((block) => block.type === type)
      .map((block) => String((block as unknown as Record<string, unknown>)[name]))
      .join('\n')
  return {
    type: 'said',
    said: {
      text: pick('text', 'text'),
      thinking: pick('thinking', 'thinking'),
      calls: calls ?? [],
      finish: messages.at(-1)?.stop_reason ?? null,
      raw: messages,
    },
  }
}
