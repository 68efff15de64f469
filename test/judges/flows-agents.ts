/**
 * What OpenAI's Agents SDK is led through: its own loop of tools, on Chat Completions and on Responses.
 * Neighbours: `../support/sdk-flow.ts` is the contract, `sdk.ts` runs it.
 */
import {
  Agent,
  OpenAIChatCompletionsModel,
  OpenAIResponsesModel,
  Runner,
  tool,
} from '@openai/agents'
import OpenAI from 'openai'
import {
  askEveryWay,
  LEAVES_AFTER,
  leaving,
  modelFor,
  PROMPTS,
  WEATHER,
  weatherIn,
  type Call,
  type Flow,
  type Flows,
  type Outcome,
  type Part,
  type Place,
} from '../support/sdk-flow.ts'

type ModelClass = typeof OpenAIChatCompletionsModel | typeof OpenAIResponsesModel

export const agentsFlows = (Model: ModelClass): Flows => {
  const ask =
    (isStream: boolean) =>
    (part: Part): Flow =>
    (place) =>
      run({ Model, place, part, isStream, prompt: PROMPTS.text })
  const tools =
    (part: 'loop' | 'tools', isStream: boolean): Flow =>
    (place) =>
      run({ Model, place, part, isStream, prompt: PROMPTS[part], calls: [] })
  return {
    ...askEveryWay({ byHelper: ask(true), byEvents: ask(true), asJson: ask(false) }),
    'tool loop by stream': tools('loop', true),
    'tool loop as JSON': tools('loop', false),
    'parallel tools by stream': tools('tools', true),
    'parallel tools as JSON': tools('tools', false),
    'leaving before the first byte': (place) =>
      leaving(async (leave, signal) => {
        setTimeout(leave, LEAVES_AFTER)
        await run({ Model, place, part: 'slow', isStream: true, prompt: PROMPTS.slow, signal })
      }),
    'leaving in mid-stream': (place) =>
      leaving(async (leave, signal) => {
        const onText = leave
        const prompt = PROMPTS.long
        await run({ Model, place, part: 'long', isStream: true, prompt, signal, onText })
      }),
  }
}

export const agentsChat = agentsFlows(OpenAIChatCompletionsModel)
export const agentsResponses = agentsFlows(OpenAIResponsesModel)

interface Run {
  Model: ModelClass
  place: Place
  part: Part
  isStream: boolean
  prompt: string
  /** With it the agent has a tool, and its calls are written here. */
  calls?: Call[]
  signal?: AbortSignal
  onText?: () => void
}

async function run({ Model, place, part, isStream, prompt, ...more }: Run): Promise<Outcome> {
  const { calls, signal, onText } = more
  const { apiKey, maxRetries = 0 } = place
  const client = new OpenAI({ baseURL: place.baseUrl, apiKey, maxRetries })
  const agent = new Agent({
    name: 'Weather',
    model: new Model(client as never, modelFor(place, part)),
    tools: calls === undefined ? [] : [weather(calls)],
  })
  // Its traces would go to OpenAI's own address.
  const runner = new Runner({ tracingDisabled: true })
  if (!isStream) return toSaid(await runner.run(agent, prompt), calls)
  const result = await runner.run(agent, prompt, { stream: true, ...(signal ? { signal } : {}) })
  for await (const event of result)
    if (event.type === 'raw_model_stream_event' && event.data.type === 'output_text_delta')
      onText?.()
  await result.completed
  signal?.throwIfAborted()
  return toSaid(result, calls)
}

const weather = (calls: Call[]) =>
  tool({
    name: WEATHER.name,
    description: WEATHER.description,
    parameters: WEATHER.schema as never,
    strict: true,
    execute(args: unknown) {
      calls.push({ name: WEATHER.name, arguments: args })
      return weatherIn(args)
    },
  })

interface Result {
  finalOutput?: unknown
  history: unknown
  rawResponses: readonly { usage: unknown; output: unknown; responseId?: unknown }[]
}

const toSaid = (result: Result, calls: readonly Call[] = []): Outcome => ({
  type: 'said',
  said: {
    text: String(result.finalOutput ?? ''),
    thinking: '',
    calls,
    finish: null,
    raw: {
      history: result.history,
      responses: result.rawResponses.map(({ usage, output, responseId }) => ({
        usage,
        output,
        responseId,
      })),
    },
  },
})
