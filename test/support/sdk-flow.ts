/**
 * What SDKs are led through: a flow is a small program on an SDK, and gives back what its user would
 * see. Neighbours: `sdk-messages.ts`, `sdk-chat.ts` and `sdk-responses.ts` hold the flows of the official
 * SDKs, `test/judges/` those of SDKs that need a newer Node; tests and the live test run them. Runs in
 * child processes too, so it uses types that can be stripped, and no package.
 */

/** A part that a model plays in a flow: the demo has a script for each. */
export type Part =
  | 'text'
  | 'thinking'
  | 'loop'
  | 'tools'
  | 'error'
  | 'rate-limit'
  | 'context'
  | 'auth'
  | 'break'
  | 'cut'
  | 'eof'
  | 'slow'
  | 'long'

/** Where a flow is sent. JSON, so that it can be handed to a child process. */
export interface Place {
  readonly baseUrl: string
  readonly apiKey: string
  /** Plays all parts; without one each has the demo's script of its name. */
  readonly model?: string
  /** Of how deep the model thinks, where it is not the demo: `thinking` or `reasoning` of the wire. */
  readonly thinking?: Readonly<Record<string, unknown>>
  readonly maxRetries?: number
}

/** What an answer, or a conversation of several, came to. */
export interface Said {
  readonly text: string
  readonly thinking: string
  /** What the tools were called with, in their order. */
  readonly calls: readonly Call[]
  readonly finish: string | null
  /** The SDK's own objects: everything that a program could look at. */
  readonly raw: unknown
}

export interface Call {
  readonly name: string
  readonly arguments: unknown
}

export type Outcome =
  | { readonly type: 'said'; readonly said: Said }
  /** An answer that is not of a model: a count, a list. */
  | { readonly type: 'told'; readonly told: unknown }
  | { readonly type: 'left'; readonly at: number; readonly error: Thrown | undefined }
  | { readonly type: 'thrown'; readonly error: Thrown }

/** An error as the SDK's user can tell it from others. */
export interface Thrown {
  readonly name: string
  readonly status: number | undefined
  /** The provider's word for it: `rate_limit_error`, `context_length_exceeded`. */
  readonly kind: string | undefined
  readonly retryAfter: string | undefined
  readonly message: string
}

export type Flow = (place: Place) => Promise<Outcome>
export type Flows = Readonly<Record<string, Flow>>

export const modelFor = ({ model }: Place, part: Part): string => model ?? `demo-${part}`

/** How an SDK is asked for an answer. */
export interface Ways {
  /** By the SDK's helper that adds a stream up. */
  byHelper(part: Part): Flow
  /** By the stream itself, event by event. */
  byEvents(part: Part): Flow
  asJson(part: Part): Flow
}

/** The parts that need nothing but to be asked for, in every way. */
export function askEveryWay({ byHelper, byEvents, asJson }: Ways): Flows {
  const flows: Record<string, Flow> = {}
  for (const part of [...ENDS, 'error', 'rate-limit', 'context', 'auth'] as const) {
    flows[`${part} by stream`] = byHelper(part)
    flows[`${part} as JSON`] = asJson(part)
  }
  for (const part of ENDS) flows[`${part} by events`] = byEvents(part)
  flows['wrong key'] = (place) => asJson('text')({ ...place, apiKey: 'sk-wrong' })
  return flows
}

/** How a stream may end. */
const ENDS = ['text', 'break', 'cut', 'eof'] as const

/** Runs a flow; what it throws is an outcome. */
export async function runFlow(flow: Flow, place: Place): Promise<Outcome> {
  try {
    return await flow(place)
  } catch (error) {
    return { type: 'thrown', error: toThrown(error) }
  }
}

function toThrown(error: unknown): Thrown {
  const given = (typeof error === 'object' && error !== null ? error : {}) as Fields
  const body = field(given, 'error') ?? field(given, 'data')
  const inner = field(body, 'error') ?? body
  const headers: unknown = given['headers'] ?? given['responseHeaders']
  const status: unknown = given['status'] ?? given['statusCode']
  return {
    name: error instanceof Error ? nameOf(error) : typeof error,
    status: typeof status === 'number' ? status : undefined,
    kind: text(inner?.['code']) ?? text(inner?.['type']) ?? text(given['code']),
    retryAfter: headers instanceof Headers ? (headers.get('retry-after') ?? undefined) : undefined,
    message: error instanceof Error ? error.message : String(error),
  }
}

type Fields = Record<string, unknown>

const field = (of: Fields | undefined, name: string): Fields | undefined => {
  const value = of?.[name]
  return typeof value === 'object' && value !== null ? (value as Fields) : undefined
}

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

/** SDKs tell their errors apart by class; some give each the name `Error`. */
const nameOf = (error: Error): string =>
  error.name === 'Error' ? error.constructor.name : error.name

/** Runs a flow that leaves by itself, and says when it did. */
export async function leaving(
  run: (leave: () => void, signal: AbortSignal) => Promise<void>,
): Promise<Outcome> {
  const controller = new AbortController()
  let at = 0
  const leave = (): void => {
    at = Date.now()
    controller.abort()
  }
  try {
    await run(leave, controller.signal)
  } catch (error) {
    if (at === 0) throw error
    return { type: 'left', at, error: toThrown(error) }
  }
  if (at === 0) throw new Error('The answer was over before it could be left')
  return { type: 'left', at, error: undefined }
}

/** Before the first byte: `demo-slow` gives none for two seconds. */
export const LEAVES_AFTER = 200

/** What the flows ask. The demo goes by the model, a real model by the words. */
export const PROMPTS = {
  text: 'Say hello in one short sentence.',
  thinking: 'Which is larger, 9.11 or 9.9? Think first, then answer in one sentence.',
  again: 'Thank you. And which of them is smaller?',
  loop: 'Ask get_weather for Paris. When you know it, ask for Rome, then for Oslo: one call at a time, never two at once. Then say all three in one sentence.',
  tools:
    'Ask get_weather for Paris, Rome and Oslo, all three calls at once in one turn. Then say all three in one sentence.',
  slow: 'Think of a story of a thousand words, then tell it.',
  long: 'Count from 1 to 2000 in words, one number a line.',
} as const

export const promptFor = (part: Part): string =>
  part in PROMPTS ? PROMPTS[part as keyof typeof PROMPTS] : PROMPTS.text

export const WEATHER = {
  name: 'get_weather',
  description: 'Tells the weather in a city',
  schema: {
    type: 'object' as const,
    properties: { city: { type: 'string', description: 'The name of the city' } },
    required: ['city'],
    additionalProperties: false,
  },
}

/** What the tool says: the same for the same call. */
export const weatherIn = (args: unknown): string =>
  `${String((args as { city?: unknown }).city)}: 18 degrees, light rain`
