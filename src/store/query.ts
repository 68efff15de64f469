/**
 * What can be asked of the records, and what comes back. Neighbours: `store.ts`; `api/` and the command line say the
 * same in their own words.
 */
import type { BlockType } from '../event/block.ts'
import type { ExchangeRow, Outcome, ToolUse } from './record.ts'

/** Where several are given, all must hold. `*` stands for any characters in names. */
export interface ExchangeQuery {
  /** Milliseconds since 1970: from this on, and before that. */
  readonly since?: number
  readonly until?: number
  /** As the client asked, as it was sent, or as the answer says. */
  readonly model?: string
  readonly route?: string
  readonly upstream?: string
  readonly key?: string
  readonly client?: string
  readonly wire?: string
  readonly conversation?: string
  /** A number, or `error`: everything that is not a whole answer. */
  readonly status?: number | 'error'
  readonly outcome?: Outcome
  /** The name of a tool that the model called. */
  readonly tool?: string
  /** Whether any tool was called. */
  readonly hasTools?: boolean
  /** What some policy decided that was not in shadow, unless `isShadow`. */
  readonly verdict?: string
  readonly policy?: string
  readonly isShadow?: boolean
  /**
   * Words that all stand in the request's last turn or in the answer; the last may be a beginning, of three letters or
   * more.
   */
  readonly text?: string
}

export interface PageQuery {
  /** As `next` of the page before said. */
  readonly cursor?: string | undefined
  /** 1 to 1000; default 50. */
  readonly limit?: number
  /** Default: the newest first. */
  readonly isOldestFirst?: boolean
}

export interface Page<T> {
  readonly items: readonly T[]
  /** Where the next page begins; `undefined` where there is none. */
  readonly next: string | undefined
}

/** How often each kind of verdict was given, those in shadow apart. */
export interface VerdictCounts {
  readonly [type: string]: number
}

/** One line of a list: all columns of the row and what is counted beside it; no headers, attempts or losses. */
export interface ExchangeSummary extends Omit<
  ExchangeRow,
  'requestHeaders' | 'upstreamHeaders' | 'attempts' | 'losses' | 'query'
> {
  readonly attemptCount: number
  readonly lossCount: number
  readonly tools: readonly ToolUse[]
  readonly verdicts: VerdictCounts
  readonly shadowVerdicts: VerdictCounts
}

/** All of one. */
export interface ExchangeRecord extends ExchangeRow {
  readonly tools: readonly ToolUse[]
  /** Which bodies are there, with their size as they passed. */
  readonly bodies: Readonly<Record<string, number>>
}

/** `tool` is here the one that the verdict is about. */
export interface VerdictQuery extends ExchangeQuery {
  readonly exchangeId?: string
}

export interface ConversationSummary {
  readonly id: string
  readonly startedAt: number
  /** When its last exchange began. */
  readonly lastAt: number
  /** The id of its first exchange. */
  readonly firstId: string
  readonly exchanges: number
  /** How many tools the models called, before anybody judged the calls. */
  readonly toolCalls: number
  readonly clients: readonly string[]
  readonly models: readonly string[]
  readonly keys: readonly string[]
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cost: number
  readonly verdicts: VerdictCounts
}

export interface StatsQuery extends ExchangeQuery {
  /** How long a step is, in milliseconds; one is chosen where none is given. */
  readonly step?: number
  /** A line for each value of it; without it one line in all. */
  readonly by?: 'model' | 'route' | 'key' | 'upstream' | 'client'
}

export interface StatsBucket {
  /** When the step begins. */
  readonly at: number
  readonly of: string | undefined
  readonly exchanges: number
  readonly errors: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cost: number
  /**
   * How many were open at once on average: the durations of those that began in the step, over its length. One that goes
   * on into later steps counts where it began.
   */
  readonly meanOpen: number
  /** Milliseconds, over the exchanges of the step. */
  readonly firstByteMs: { readonly p50: number; readonly p99: number } | undefined
  readonly durationMs: { readonly p50: number; readonly p99: number } | undefined
  /** By kind of verdict, without shadow. */
  readonly verdicts: VerdictCounts
}

/** What one policy decided over a time, by kind of verdict and by tool. */
export interface PolicySummary {
  readonly policy: string
  readonly version: string | undefined
  readonly isShadow: boolean
  readonly type: string
  readonly block: BlockType | 'request'
  readonly tool: string | undefined
  readonly count: number
  /** Up to three. */
  readonly examples: readonly { readonly exchangeId: string; readonly reason: string | undefined }[]
}
