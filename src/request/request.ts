/**
 * What a client asked for, in our own tongue: the whole of it on one screen. Every wire reads a body into
 * this and writes one from it. Neighbours: `part.ts` is what turns are made of, `tool.ts` what the model may
 * call; `wire/*` read and write. Knows no wire's fields.
 *
 * The order of everything stays as the client had it. Nothing is normalised for a target here: each writer
 * makes the turns that its own API takes.
 */
import type { JsonObject } from '../base/json.ts'
import type { WireName } from '../event/event.ts'
import type { Part, TextPart } from './part.ts'
import type { Tool, ToolChoice } from './tool.ts'

export interface ModelRequest {
  /** Where it was read, and the body as it came: on the same wire that is what is written again. */
  readonly source: { readonly wire: WireName; readonly body: JsonObject }
  /** As the client said it. */
  readonly model: string
  readonly isStream: boolean
  /** What stands before the conversation, in order. */
  readonly system: readonly TextPart[]
  readonly turns: readonly Turn[]
  readonly tools: readonly Tool[]
  readonly toolChoice: ToolChoice | undefined
  /** `false`: at most one call at a time. `undefined`: nothing was said. */
  readonly isParallel: boolean | undefined
  readonly maxTokens: number | undefined
  readonly stop: readonly string[]
  readonly sampling: Sampling
  readonly reasoning: Reasoning
  /** The form of the answer; `undefined` for free text. */
  readonly format: OutputFormat | undefined
  readonly verbosity: 'low' | 'medium' | 'high' | undefined
  /** Who the end user is, for the provider's abuse checks. */
  readonly user: string | undefined
  readonly metadata: Readonly<Record<string, string>> | undefined
  readonly cache: { readonly key: string | undefined; readonly mark: CacheMark | undefined }
  readonly serviceTier: string | undefined
  /** Whether the provider may keep the answer for later requests to name it. */
  readonly isStored: boolean | undefined
  readonly logprobs: number | undefined
  /**
   * Fields of the client's that mean something on its own wire only. Those in `lost` may be left out, and it
   * is said; those in `needed` may not, and another wire refuses them. Hints stand in neither.
   */
  readonly lost: readonly string[]
  readonly needed: readonly RequestProblem[]
}

export interface Turn {
  /** `system`: an instruction in the middle of the conversation. */
  readonly role: 'user' | 'assistant' | 'system'
  readonly parts: readonly Part[]
  /** The client's own message or item where the whole turn was one: its unknown fields stay on its wire. */
  readonly vendor?: JsonObject
}

export interface Sampling {
  readonly temperature?: number
  readonly topP?: number
  readonly topK?: number
  readonly seed?: number
  readonly frequencyPenalty?: number
  readonly presencePenalty?: number
  readonly logitBias?: JsonObject
}

/** From the least to the most. */
export type Effort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max'

export interface Reasoning {
  readonly effort?: Effort
  /** `on` has a budget; `adaptive`: the model decides. Nothing: nothing was said. */
  readonly mode?: 'on' | 'off' | 'adaptive'
  /** Tokens. */
  readonly budget?: number
  /** Whether the client wants to read a summary of it. */
  readonly shows?: boolean
}

export type OutputFormat =
  | { readonly type: 'json-object' }
  | {
      readonly type: 'json-schema'
      readonly name: string | undefined
      readonly description: string | undefined
      readonly schema: JsonObject
      readonly isStrict: boolean | undefined
    }

/** "Cache up to here." */
export interface CacheMark {
  readonly ttl?: string
}

/** What is wrong with a request, in words that say what to do. */
export interface RequestProblem {
  /** The field, as its client spells it: `tools[3].input_schema`, `messages[2].content`. */
  readonly path: string
  readonly message: string
  /** `unsupported`: right in itself, but not possible at this upstream. Default `invalid`. */
  readonly code?: 'invalid' | 'unsupported'
}
