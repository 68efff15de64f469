/**
 * The contract of a policy: what it may see, and what it may decide. Neighbours: `verdict.ts` has the decisions,
 * `engine.ts` calls policies. Knows no wire and no HTTP: the same policy serves every client and every model.
 */
import type { JsonObject } from '../base/json.ts'
import type { ChunkAnswer } from '../block/processor.ts'
import type { StreamState } from '../block/state.ts'
import type { BlockOf, BlockType, StreamBlock } from '../event/block.ts'
import type { StreamEvent } from '../event/event.ts'
import type { Usage } from '../event/usage.ts'
import type { TextPart } from '../request/part.ts'
import type { ModelRequest, Turn } from '../request/request.ts'
import type { Tool } from '../request/tool.ts'
import type { RequestVerdict, Verdict } from './verdict.ts'

/** Blocks that can wait for a verdict. Thinking is sealed by its vendor and is never touched. */
export type HeldType = 'text' | 'refusal' | 'tool-call'

export interface Policy<Held extends HeldType = HeldType, State = unknown, Memory = unknown> {
  readonly name: string
  /** Stands in every record and in the key of every cached verdict. */
  readonly version?: string
  /** These blocks wait for `judge`. Default: tool calls. */
  readonly holds?: readonly Held[]
  /** The blocks that `onBlock` is called for. Default: all. What nobody watches is not read. */
  readonly watches?: readonly BlockType[]
  /**
   * Whether `judge` may begin as soon as the arguments of a call are whole, before the upstream has said that they
   * are: for judges that take their time. If more comes after all, it is asked again.
   */
  readonly isEager?: boolean
  /** Makes what it keeps of one exchange. */
  state?(): State
  /** Makes what it keeps of one conversation, over its exchanges. Bounded: the least used are forgotten. */
  memory?(): Memory
  /** Decides on a whole block. What throws or is too slow denies, unless `onError: pass` is configured. */
  judge?(block: BlockOf<Held>, ctx: PolicyContext<State, Memory>): Verdict | Promise<Verdict>
  /** Sees whole blocks without holding them. */
  onBlock?(block: StreamBlock, ctx: PolicyContext<State, Memory>): void | Promise<void>
  /** Sees every event; those of blocks leave only if it sends them. `'hold'` keeps another one back. */
  onChunk?(
    chunk: StreamEvent,
    state: StreamState,
    ctx: FilterContext<State, Memory>,
  ): ChunkAnswer | Promise<ChunkAnswer>
  /** Sees, changes or refuses the request before any upstream gets it, tool results in it included. */
  onRequest?(
    request: ModelRequest,
    ctx: PolicyContext<State, Memory>,
  ): PolicyRequestVerdict | Promise<PolicyRequestVerdict>
  /** The answer is over, well or not; nothing can be changed any more. */
  onFinish?(state: StreamState, ctx: PolicyContext<State, Memory>): void | Promise<void>
  /** Always called, last, once per exchange. */
  close?(ctx: PolicyContext<State, Memory>): void
}

/** Nothing said is a pass. */
export type PolicyRequestVerdict = RequestVerdict<ModelRequest> | undefined | void

export interface PolicyContext<State = unknown, Memory = unknown> {
  /** Of the exchange, as in logs and records. */
  readonly exchangeId: string
  readonly client: {
    /** The name of its key, where it has one. */
    readonly key: string | undefined
    /** What it says of itself, such as `claude-cli/2.1`; shortened. */
    readonly agent: string | undefined
  }
  readonly request: PolicyRequest
  readonly state: State
  readonly memory: Memory
  /** Aborted when the client leaves, when the policy's time is up, or when nobody waits for its verdict any more. */
  readonly signal: AbortSignal
  readonly log: PolicyLog
  /** Milliseconds since 1970. */
  now(): number
  /** Asks a model of a configured upstream, outside of the conversation and of all policies. */
  callModel(call: ModelCall): Promise<ModelReply>
}

export interface FilterContext<State = unknown, Memory = unknown> extends PolicyContext<
  State,
  Memory
> {
  /** Sends on; an event that was sent before is not sent again. */
  send(...events: readonly StreamEvent[]): void
  /** The answer ends here, well-formed. */
  terminate(reason?: string): void
}

/** What was asked. Read on demand: what no policy asks for costs nothing. */
export interface PolicyRequest {
  /** The model as the client said it. */
  readonly model: string
  /** The route's pattern that took it. */
  readonly route: string | undefined
  /** The upstream that answers, and what the model is called there; not known before there is an answer. */
  readonly upstream: string | undefined
  readonly upstreamModel: string | undefined
  readonly isStream: boolean
  /** The same for all exchanges of one agent session, as far as they show it. */
  readonly conversationId: string
  system(): readonly TextPart[]
  /** The conversation so far. */
  turns(): readonly Turn[]
  /** What the model may call, with their schemas. */
  tools(): readonly Tool[]
  tool(name: string, namespace?: string): Tool | undefined
}

/** No content belongs into a log. */
export interface PolicyLog {
  info(message: string, fields?: Readonly<Record<string, string | number | boolean>>): void
  warn(message: string, fields?: Readonly<Record<string, string | number | boolean>>): void
}

export interface ModelCall {
  /** A model as a client would ask for it: the routes say who serves it. */
  readonly model: string
  /** Asks this upstream, whatever the routes say. */
  readonly upstream?: string
  readonly system?: string
  readonly messages: readonly { readonly role: 'user' | 'assistant'; readonly text: string }[]
  readonly maxTokens: number
  readonly temperature?: number
  /** The answer is to be JSON of this schema. */
  readonly schema?: { readonly name: string; readonly schema: JsonObject }
  /** Ends the call early; the context's own signal does so in any case. */
  readonly signal?: AbortSignal
}

export interface ModelReply {
  readonly text: string
  readonly model: string
  readonly usage: Usage | undefined
}

/** A policy, with the types of its state and of the blocks that it holds found out. */
export const definePolicy = <
  const Held extends HeldType = 'tool-call',
  State = undefined,
  Memory = undefined,
>(
  policy: Policy<Held, State, Memory>,
): Policy => policy as unknown as Policy

/** What is kept of each verdict. */
export interface VerdictRecord {
  readonly policy: string
  readonly version: string | undefined
  readonly type: Verdict['type'] | 'change' | 'error'
  readonly reason: string | undefined
  readonly tags: readonly string[]
  readonly details: Readonly<Record<string, string | number | boolean>>
  /** Who decided, where a person did. */
  readonly by: string | undefined
  /** What it was about; `undefined`: the request. */
  readonly block:
    | {
        readonly type: BlockType
        readonly id: string
        readonly index: number
        readonly name: string | undefined
      }
    | undefined
  /** As it came, and as it left: a text, or the raw arguments. Content: never in a log. */
  readonly original: string | undefined
  readonly delivered: string | undefined
  readonly isShadow: boolean
  readonly tookMs: number
}

/** A call that waits for a person. */
export interface Question {
  readonly exchangeId: string
  readonly policy: string
  /** Of a policy made of rules: the one that asks. */
  readonly rule?: string | undefined
  readonly question: string
  readonly reason: string | undefined
  readonly client: PolicyContext['client']
  /** Whose decisions it may use, where more is known of that than the client's key. */
  readonly owner?: string | undefined
  readonly request: PolicyRequest
  readonly block: BlockOf<HeldType>
  readonly signal: AbortSignal
}

/** What a person decided, or that nobody did in time. */
export type Decision = {
  readonly by: string | undefined
  readonly ticket: string
  readonly reason?: string | undefined
} & (
  | { readonly type: 'pass' | 'deny' | 'expired' }
  | { readonly type: 'edit'; readonly args: Readonly<Record<string, unknown>> | string }
)

/** A policy as it is installed: what its config says beside its own options. */
export interface Installed {
  readonly policy: Policy
  /** What happens when it throws or is too slow. */
  readonly onError: 'deny' | 'pass'
  readonly timeoutMs: number
  /** Never holds and changes nothing: what it would have done is recorded. */
  readonly isShadow: boolean
}
