/**
 * One thing that has to be undone of a translation while its answer comes. Neighbours: `translate.ts` puts them in order.
 */
import type { Stage } from '../base/stage.ts'
import type { EventOf, StreamEvent } from '../event/event.ts'

/** A stage with `hasStopped` may end the answer before the upstream does: its `end` says what is left to say. */
export type AnswerStage = Stage<StreamEvent, StreamEvent> & {
  readonly hasStopped?: boolean
  /** Whether further pieces of that block pass as they are, however they are cut. */
  passes?(event: EventOf<'block-delta'>): boolean
}

/** Whether one of them wants nothing more. */
export function hasStopped(stages: readonly AnswerStage[]): boolean {
  for (const stage of stages) if (stage.hasStopped === true) return true
  return false
}
