/**
 * A conversation that a program leads by an SDK: what the SDK gave is sent back as it is, as programs do.
 * Neighbours: `talk-{messages,chat,responses}.ts` are the three SDKs. Knows no gateway.
 */
import type { Place } from './sdk-flow.ts'

export interface TalkOptions {
  readonly model: string
  readonly stream: boolean
  readonly tools?: readonly Tool[]
  readonly thinking?: boolean
  /** The answer is to be JSON of that schema. */
  readonly schema?: Readonly<Record<string, unknown>>
  /**
   * Chat only, which has no field for what was thought. `collected`: the whole of it; `sdk`: the SDK's own object,
   * which holds the last piece of a stream; `plain`: nothing.
   */
  readonly echo?: 'collected' | 'sdk' | 'plain'
  /** Further fields of the body, in the words of the client's wire. */
  readonly more?: object
  readonly signal?: AbortSignal
  /** Told when the first text is there. */
  onText?(): void
}

/** What the program says: results of tools first, in the order in which they were ready. */
export interface Say {
  readonly text?: string
  /** A PNG in base64. */
  readonly image?: string
  readonly results?: readonly ToolResult[]
}

interface ToolResult {
  readonly id: string
  readonly text: string
  readonly image?: string
  readonly isError?: boolean
}

export interface Heard {
  readonly text: string
  readonly thinking: string
  readonly calls: readonly { readonly id: string; readonly name: string; readonly args: unknown }[]
  readonly finish: string | null | undefined
  /** All of the input, cached or not. */
  readonly input: number | undefined
  readonly output: number | undefined
}

type Talk = (say: Say) => Promise<Heard>
export type OpenTalk = (place: Place, options: TalkOptions) => Talk

export interface Tool {
  readonly name: string
  readonly description: string
  readonly schema: { readonly type: 'object'; readonly [keyword: string]: unknown }
}

/** One with a required field and one without: not every API takes that as it is. */
export const TOOLS: readonly Tool[] = [
  {
    name: 'get_weather',
    description: 'Tells the weather in a city',
    schema: {
      type: 'object',
      properties: {
        city: { type: 'string', description: 'The name of the city' },
        unit: { type: 'string', enum: ['C', 'F'] },
      },
      required: ['city'],
      additionalProperties: false,
    },
  },
  {
    name: 'take_picture',
    description: 'Takes a picture',
    schema: { type: 'object', properties: {} },
  },
]

/** Longer than Chat takes; its own clients have a shorter one. */
export const LONG_TOOL: Tool = {
  name: `mcp__${'filesystem_'.repeat(7)}__write_file`,
  description: 'Writes a file',
  schema: {
    type: 'object',
    properties: { path: { type: 'string' }, content: { type: 'string' } },
    required: ['path', 'content'],
  },
}

export const SYSTEM = 'You are a weather station. Be brief.'
