/**
 * A conversation with tools as a plan that each wire can say in its own way. Neighbours: `conversations.ts` makes
 * random ones, `conversation-bodies.ts` writes them as bodies.
 */
import type { WireName } from '../../src/event/event.ts'

export interface Conversation {
  readonly wire: WireName
  readonly system: readonly string[]
  readonly first: Said
  readonly steps: readonly Step[]
  readonly tools: readonly PlannedTool[]
  readonly settings: Settings
  /** The shorter of two forms that a wire has for the same thing: a string for a list of one text. */
  readonly isTerse: boolean
}

/** What a user says, and perhaps an instruction of the program behind it. */
export interface Said {
  readonly parts: readonly PlannedPart[]
  readonly system: string | undefined
}

/** One answer, and what came back to it. */
export interface Step {
  readonly thinking: PlannedThinking | undefined
  readonly text: string | undefined
  readonly calls: readonly PlannedCall[]
  /** Always there where nothing was called. */
  readonly said: Said | undefined
}

export type PlannedPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly data: string }
  | { readonly type: 'image-url'; readonly url: string }
  | { readonly type: 'pdf'; readonly data: string }

export interface PlannedThinking {
  readonly text: string
  /** Whose it is: the wire's own vendor, or one that we sealed for. */
  readonly seal: WireName | 'own'
}

export interface PlannedCall {
  readonly id: string
  /** Its place in `tools`. */
  readonly tool: number
  readonly arguments: string
  readonly input: string
  readonly result: readonly PlannedPart[]
  readonly isError: boolean
  /** Results come back in the order of these. */
  readonly rank: number
}

export interface PlannedTool {
  readonly type: 'function' | 'custom'
  readonly name: string
  readonly namespace: string | undefined
  readonly description: string | undefined
  readonly schema: Readonly<Record<string, unknown>>
  readonly isStrict: boolean | undefined
}

export interface Settings {
  /** Reasoning models take effort and no sampling. */
  readonly isReasoning: boolean
  readonly isStream: boolean
  readonly choice: 'auto' | 'required' | 'none' | 'tool' | 'allowed' | undefined
  readonly isParallel: boolean | undefined
  readonly maxTokens: number | undefined
  readonly stop: readonly string[]
  readonly effort: 'low' | 'medium' | 'high' | undefined
  readonly temperature: number | undefined
  readonly format: 'object' | 'schema' | 'strict' | undefined
  readonly user: string | undefined
}
