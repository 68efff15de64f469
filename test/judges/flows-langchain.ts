/**
 * What LangChain's models are led through: `stream` and `invoke`, with a loop of tools of our own.
 * Neighbours: `../support/sdk-flow.ts` is the contract, `sdk.ts` runs it.
 */
import { ChatAnthropic } from '@langchain/anthropic'
import {
  type AIMessage,
  HumanMessage,
  ToolMessage,
  type AIMessageChunk,
} from '@langchain/core/messages'
import { concat } from '@langchain/core/utils/stream'
import { ChatOpenAI } from '@langchain/openai'
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

type Model = ChatAnthropic | ChatOpenAI
type ToModel = (place: Place, part: Part) => Model
type Ask = (model: Model, turns: Turns) => Promise<Message>
type Message = AIMessage | AIMessageChunk
type Turns = (AIMessage | AIMessageChunk | HumanMessage | ToolMessage)[]

export const chainAnthropic: ToModel = (place, part) =>
  new ChatAnthropic({
    model: modelFor(place, part),
    apiKey: place.apiKey,
    anthropicApiUrl: place.baseUrl,
    maxRetries: place.maxRetries ?? 0,
    maxTokens: 4096,
  })

const openai = (place: Place, part: Part, useResponsesApi: boolean): Model =>
  new ChatOpenAI({
    model: modelFor(place, part),
    apiKey: place.apiKey,
    configuration: { baseURL: place.baseUrl },
    maxRetries: place.maxRetries ?? 0,
    useResponsesApi,
  })
export const chainChat: ToModel = (place, part) => openai(place, part, false)
export const chainResponses: ToModel = (place, part) => openai(place, part, true)

export function chainFlows(toModel: ToModel): Flows {
  const once =
    (ask: Ask) =>
    (part: Part): Flow =>
    async (place) =>
      toSaid([await ask(toModel(place, part), [new HumanMessage(PROMPTS.text)])])
  const tools =
    (ask: Ask, part: 'loop' | 'tools'): Flow =>
    (place) =>
      runTools(ask, toModel(place, part), PROMPTS[part])

  return {
    ...askEveryWay({ byHelper: once(stream), byEvents: once(stream), asJson: once(invoke) }),
    'tool loop by stream': tools(stream, 'loop'),
    'tool loop as JSON': tools(invoke, 'loop'),
    'parallel tools by stream': tools(stream, 'tools'),
    'parallel tools as JSON': tools(invoke, 'tools'),
    'leaving before the first byte': (place) =>
      leaving(async (leave, signal) => {
        setTimeout(leave, LEAVES_AFTER)
        for await (const _ of await toModel(place, 'slow').stream(PROMPTS.slow, { signal }))
          continue
      }),
    'leaving in mid-stream': (place) =>
      leaving(async (leave, signal) => {
        for await (const chunk of await toModel(place, 'long').stream(PROMPTS.long, { signal }))
          if (chunk.text !== '') leave()
      }),
  }
}

const invoke: Ask = (model, turns) => model.invoke(turns)

const stream: Ask = async (model, turns) => {
  let whole: AIMessageChunk | undefined
  for await (const chunk of await model.stream(turns))
    whole = whole === undefined ? chunk : concat(whole, chunk)
  if (whole === undefined) throw new Error('The stream was empty')
  return whole
}

async function runTools(ask: Ask, model: Model, prompt: string): Promise<Outcome> {
  const calls: Call[] = []
  const answers: Message[] = []
  const bound = model.bindTools([
    {
      type: 'function',
      function: {
        name: WEATHER.name,
        description: WEATHER.description,
        parameters: WEATHER.schema,
      },
    },
  ]) as unknown as Model
  const turns: Turns = [new HumanMessage(prompt)]
  for (let turn = 0; turn < 10; turn++) {
    const answer = await ask(bound, turns)
    answers.push(answer)
    turns.push(answer)
    const asked = answer.tool_calls ?? []
    if (asked.length === 0) break
    for (const { name, args, id } of asked) {
      calls.push({ name, arguments: args })
      turns.push(new ToolMessage({ content: weatherIn(args), tool_call_id: id ?? '' }))
    }
  }
  return toSaid(answers, calls)
}

function toSaid(answers: readonly Message[], calls: readonly Call[] = []): Outcome {
  const last = answers.at(-1)?.response_metadata as Record<string, unknown> | undefined
  const finish = last?.['stop_reason'] ?? last?.['finish_reason'] ?? last?.['status']
  return {
    type: 'said',
    said: {
      text: answers.map(({ text }) => text).join('\n'),
      thinking: '',
      calls,
      finish: typeof finish === 'string' ? finish : null,
      raw: answers.map((answer) => ({
        content: answer.content,
        calls: answer.tool_calls,
        usage: answer.usage_metadata,
        finish,
      })),
    },
  }
}
