/**
 * What a backtest says: how it goes, and what came of it. Neighbours: `backtest-tally.ts` fills it in, the command line,
 * the API and the page show it. Plain values, as JSON carries them.
 */
import type { ChangeKind } from './compare-verdicts.ts'

export interface BacktestProgress {
  /** Exchanges that have been looked at, those without anything to judge included. */
  readonly done: number
  /** How many there are, as far as they were counted. */
  readonly total: number
  readonly changed: number
  readonly elapsedMs: number
  /** By the rate so far; `undefined` while that is not known. */
  readonly remainingMs: number | undefined
}

/** One kind of change by one policy, rule and tool. */
export interface ChangeRow {
  readonly kind: ChangeKind
  /** Whose word makes the difference: the one of now, or of then where nobody says so any more. */
  readonly policy: string
  /** The rule, or the reason where no rule is named. */
  readonly rule: string
  /** A tool's name, or what it is about where that is no call: `request`, `text`, `answer`. */
  readonly tool: string
  readonly count: number
  readonly examples: readonly ChangeExample[]
}

export interface ChangeExample {
  /** Of the record. */
  readonly exchangeId: string
  readonly startedAt: number
  readonly reason: string | undefined
  /** As the model said it, cut; `undefined` where nobody kept it. */
  readonly original: string | undefined
  /** What the client would get now, cut. */
  readonly delivered: string | undefined
  /** What was decided then. */
  readonly before: string
}

/** What a policy in shadow would have said. */
export interface ShadowRow {
  readonly policy: string
  readonly type: string
  readonly rule: string
  readonly tool: string
  readonly count: number
}

export interface BacktestResult {
  /** Whether it was stopped before its end. */
  readonly isPartial: boolean
  readonly exchanges: {
    readonly seen: number
    /** Through the engine. */
    readonly run: number
    /** No policy applies, or the index says that there is nothing for one to judge. */
    readonly passedOver: number
    /** Only their figures are kept. */
    readonly metadataOnly: number
    /** Bodies that there was no room for. */
    readonly dropped: number
    /** Run with what was masked in them. */
    readonly redacted: number
    /** They could not be read or run. */
    readonly failed: number
    /** In which something is different. */
    readonly changed: number
    readonly oldestAt: number | undefined
    readonly newestAt: number | undefined
  }
  /** Things that were judged and are decided as then. */
  readonly same: number
  readonly changes: Readonly<Record<ChangeKind, number>>
  readonly rows: readonly ChangeRow[]
  readonly shadow: readonly ShadowRow[]
  /** Questions to people: nobody was asked. */
  readonly asks: number
  /** Verdicts of policies that failed, by policy. */
  readonly errors: Readonly<Record<string, number>>
  readonly judges: {
    /** Questions to models. */
    readonly calls: number
    /** Verdicts of the same policy and version on the same block that were taken from the records. */
    readonly reused: number
    /** What was not asked because there were questions enough. */
    readonly unjudged: number
    readonly inputTokens: number
    readonly outputTokens: number
    /** In millionths of a US dollar; `undefined` where no price is known. */
    readonly cost: number | undefined
    /** All waiting for models together. */
    readonly ms: number
  }
  /** Why some failed: up to ten, each once. */
  readonly problems: readonly string[]
  readonly tookMs: number
}
