/**
 * What the AI SDK is led through, on any of its providers: `streamText` and `generateText`, with its own
 * loop of tools. Neighbours: `../support/sdk-flow.ts` is the contract, `sdk.ts` runs it.
 */
import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { generateText, isStepCount, jsonSchema, streamText, tool } from 'ai'
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

// It would tell on standard error that it does not know the demo's models.
;(globalThis as { AI_SDK_LOG_WARNINGS?: boolean }).AI_SDK_LOG_WARNINGS = false

type Model = Parameters<typeof generateText>[0]['model']
type ToModel = (place: Place, part: Part) => Model
/** What both functions take. Their own types want a prompt or messages, and never say both. */
type Settings = Readonly<Record<string, unknown>>

/** Its provider wants the address with the version. */
export const aiAnthropic: ToModel = (place, part) =>
  createAnthropic({ baseURL: `${place.baseUrl}/v1`, apiKey: place.apiKey })(modelFor(place, part))
export const aiChat: ToModel = (place, part) =>
  createOpenAI({ baseURL: place.baseUrl, apiKey: place.apiKey }).chat(modelFor(place, part))
export const aiResponses: ToModel = (place, part) =>
  createOpenAI({ baseURL: place.baseUrl, apiKey: place.apiKey }).responses(modelFor(place, part))

/** Asks for thinking, and on Responses for what is needed to send it back. */
const THINKING = {
  anthropic: { thinking: { type: 'enabled', budgetTokens: 1024 } },
  openai: { reasoningSummary: 'auto', store: false, include: ['reasoning.encrypted_content'] },
}

export function aiFlows(toModel: ToModel): Flows {
  const common = (place: Place, part: Part): Settings => ({
    model: toModel(place, part),
    maxRetries: place.maxRetries ?? 0,
  })
  const byHelper =
    (part: Part): Flow =>
    (place) =>
      stream({ ...common(place, part), prompt: PROMPTS.text })
  const asJson =
    (part: Part): Flow =>
    (place) =>
      generate({ ...common(place, part), prompt: PROMPTS.text })
  const withTools = (place: Place, part: 'loop' | 'tools', calls: Call[]): Settings => ({
    ...common(place, part),
    prompt: PROMPTS[part],
    tools: { [WEATHER.name]: weather(calls) },
    stopWhen: isStepCount(10),
  })

  const tools =
    (part: 'loop' | 'tools', run: typeof stream): Flow =>
    async (place) => {
      const calls: Call[] = []
      return run(withTools(place, part, calls), calls)
    }
  const thinking =
    (run: typeof stream): Flow =>
    (place) =>
      thinkTwice({ ...common(place, 'thinking'), providerOptions: THINKING }, run)

  return {
    ...askEveryWay({ byHelper, byEvents: (part) => eventsOf(byPart(common, part)), asJson }),
    'tool loop by stream': tools('loop', stream),
    'tool loop as JSON': tools('loop', generate),
    'parallel tools by stream': tools('tools', stream),
    'parallel tools as JSON': tools('tools', generate),
    'thinking by stream': thinking(stream),
    'thinking as JSON': thinking(generate),
    'leaving before the first byte': (place) =>
      leaving(async (leave, abortSignal) => {
        setTimeout(leave, LEAVES_AFTER)
        await readAll({ ...common(place, 'slow'), prompt: PROMPTS.slow, abortSignal })
      }),
    'leaving in mid-stream': (place) =>
      leaving(async (leave, abortSignal) => {
        await readAll({ ...common(place, 'long'), prompt: PROMPTS.long, abortSignal }, leave)
      }),
  }
}

const byPart =
  (common: (place: Place, part: Part) => Settings, part: Part) =>
  (place: Place): Settings => ({ ...common(place, part), prompt: PROMPTS.text })

const eventsOf =
  (settings: (place: Place) => Settings): Flow =>
  async (place) => {
    const { parts } = await readAll(settings(place))
    const kept = parts.filter(({ type }) => type.startsWith('text-') || type === 'finish')
    return { type: 'told', told: kept.map(withoutClock) }
  }

/** Reads a stream to its end. An error comes as a part of it; here it is thrown, as by everybody else. */
async function readAll(settings: Settings, onText = () => {}): Promise<Read> {
  // Told by the stream itself, so nothing needs to be printed.
  const result = streamText({ ...settings, onError: () => {} } as never) as unknown as Result
  const parts: StreamPart[] = []
  for await (const part of result.fullStream as AsyncIterable<StreamPart>) {
    if (part.type === 'error') {
      Promise.resolve(result.steps).catch(() => {})
      throw part.error
    }
    if (part.type === 'abort') throw new DOMException('The stream was aborted', 'AbortError')
    if (part.type === 'text-delta') onText()
    parts.push(part)
  }
  return { parts, result }
}

interface StreamPart {
  type: string
  error?: unknown
}
interface Result {
  fullStream: unknown
  steps: PromiseLike<readonly Step[]>
}
interface Read {
  parts: readonly StreamPart[]
  result: Result
}

async function stream(settings: Settings, calls: readonly Call[] = []): Promise<Outcome> {
  const { result } = await readAll(settings)
  return toSaid(await result.steps, calls)
}

async function generate(settings: Settings, calls: readonly Call[] = []): Promise<Outcome> {
  const result = await generateText(settings as never)
  return toSaid(result.steps as unknown as readonly Step[], calls)
}

/** What was thought in the first turn is sent back in the second. */
async function thinkTwice(settings: Settings, run: typeof stream): Promise<Outcome> {
  const question = { role: 'user', content: PROMPTS.thinking }
  const first = await run({ ...settings, messages: [question] })
  if (first.type !== 'said') return first
  const { raw } = first.said as unknown as { raw: readonly Kept[] }
  const second = await run({
    ...settings,
    messages: [
      question,
      ...raw.flatMap(({ messages }) => messages),
      { role: 'user', content: PROMPTS.again },
    ],
  })
  if (second.type !== 'said') return second
  return {
    type: 'said',
    said: {
      ...second.said,
      thinking: `${first.said.thinking}\n${second.said.thinking}`,
      raw: [first.said.raw, second.said.raw],
    },
  }
}

const weather = (calls: Call[]) =>
  tool({
    description: WEATHER.description,
    inputSchema: jsonSchema(WEATHER.schema as never),
    execute(args: unknown) {
      calls.push({ name: WEATHER.name, arguments: args })
      return weatherIn(args)
    },
  })

interface Step {
  text: string
  reasoningText: string | undefined
  finishReason: string
  content: unknown
  usage: unknown
  providerMetadata: unknown
  warnings: unknown
  response: { id: string; modelId: string; messages: readonly unknown[] }
}

type Kept = Pick<Step, 'content' | 'usage'> & { messages: readonly unknown[] }

/** All of a step that does not depend on the clock. */
const toSaid = (steps: readonly Step[], calls: readonly Call[]): Outcome => ({
  type: 'said',
  said: {
    text: steps.map(({ text }) => text).join('\n'),
    thinking: steps.map(({ reasoningText }) => reasoningText ?? '').join('\n'),
    calls,
    finish: steps.at(-1)?.finishReason ?? null,
    raw: steps.map(({ content, finishReason, usage, providerMetadata, warnings, response }) => ({
      content,
      finishReason,
      usage,
      providerMetadata,
      warnings,
      id: response.id,
      model: response.modelId,
      messages: response.messages,
    })),
  },
})

const withoutClock = (part: StreamPart): unknown => {
  const { response: _, ...rest } = part as StreamPart & { response?: unknown }
  return rest
}
