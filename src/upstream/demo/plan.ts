/**
 * What the demo is going to answer: a plan, decided once per request. Neighbours: `scripts.ts` makes it,
 * `plan-events.ts` says it in events, `reply.ts` puts it on a wire.
 */
import type { FaultKind } from '../../event/fault.ts'
import type { FinishReason } from '../../event/finish.ts'
import type { DemoTool } from './tools.ts'

export interface PlannedCall {
  readonly tool: DemoTool
  /** JSON, or free text for a custom tool. */
  readonly text: string
}

/** When the pieces of an answer leave, in milliseconds, where a script has a pace of its own. */
interface Timing {
  readonly first: number
  readonly pace: number
}

export interface AnswerPlan {
  readonly type: 'answer'
  readonly thinking?: string
  readonly text?: string
  readonly refusal?: string
  readonly calls: readonly PlannedCall[]
  readonly finish: FinishReason
  /**
   * How it ends: properly, or in the middle: with the wire's error event, with a connection that breaks,
   * or with one that is closed as if all had been said.
   */
  readonly ending: 'finish' | 'error' | 'cut' | 'eof'
  readonly timing?: Timing
}

/** An error in place of an answer. */
export interface FaultPlan {
  readonly type: 'fault'
  readonly kind: Extract<
    FaultKind,
    'overloaded' | 'rate-limit' | 'context-too-long' | 'authentication'
  >
}

export type Plan = AnswerPlan | FaultPlan

/** A normal end after that text. */
export const sayText = (text: string): AnswerPlan => ({
  type: 'answer',
  text,
  calls: [],
  finish: 'stop',
  ending: 'finish',
})
