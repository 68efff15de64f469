/**
 * Why an answer ended. The vendor's own word travels beside ours (`vendorReason`), so a value that
 * we do not know is kept and can be written back on its own wire.
 */
import type { LossList } from './loss.ts'

export type FinishReason =
  /** The model was done. */
  | 'stop'
  /** A stop sequence of the client's was met. */
  | 'stop-sequence'
  /** The client is asked to run tools. */
  | 'tool-calls'
  /** The token limit cut the answer off. */
  | 'length'
  /** The context window was full. */
  | 'context-full'
  /** The model declined. */
  | 'refusal'
  /** A filter held content back. */
  | 'content-filter'
  /** A server-side tool loop paused: send the answer back to go on. */
  | 'pause'
  /** The provider only wrote a summary of the conversation. */
  | 'compaction'
  /** A word we do not know; see `vendorReason`. */
  | 'other'

/** Reasons that say the answer is not whole. No later reason and no policy may turn them into a normal end. */
export const CUT_SHORT: ReadonlySet<FinishReason> = new Set<FinishReason>([
  'length',
  'context-full',
  'refusal',
  'content-filter',
  'pause',
])

/** Ends that say the answer is whole. */
const WHOLE: ReadonlySet<FinishReason> = new Set<FinishReason>([
  'stop',
  'stop-sequence',
  'tool-calls',
])

/** The reason of an answer with a call whose arguments end in the middle: a half call is not to be run. */
export const cutReason = (reason: FinishReason, hasCutCall: boolean): FinishReason =>
  hasCutCall && !CUT_SHORT.has(reason) ? 'length' : reason

/**
 * Two reasons for one answer: the last word wins, but being cut off beats a normal end, or a
 * half-written call would be run.
 */
export function laterReason(before: FinishReason | undefined, after: FinishReason): FinishReason {
  return before !== undefined && CUT_SHORT.has(before) && WHOLE.has(after) ? before : after
}

/** Ends that the OpenAI wires have no word for. */
export function noteFinishLoss(
  losses: LossList,
  reason: FinishReason,
  vendorReason: string | undefined,
): void {
  if (reason === 'stop-sequence') losses.add('dropped', 'stop-sequence')
  if (
    reason === 'pause' ||
    reason === 'compaction' ||
    reason === 'other' ||
    reason === 'context-full'
  )
    losses.add('approximated', `finish ${vendorReason ?? reason}`)
}
