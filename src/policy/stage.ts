/**
 * One policy on the way of an answer: events in, events out, at once or later, in order. Neighbours: `gate.ts`,
 * `filter.ts`, `tap.ts` and `together.ts` are such, `engine.ts` puts them in a row. Knows no wire.
 */
import type { BlockInfo } from '../event/block.ts'
import type { StreamEvent } from '../event/event.ts'

export interface PolicyStage {
  push(event: StreamEvent): void
  /** No more events come. `out.ended` is called once all is sent. */
  end(): void
  /** Whether further pieces of that block would be sent on at once, as they are. */
  passes(block: BlockInfo): boolean
  /** Whether further pieces of that block are only gathered here, so that they may come as one. */
  gathers?(block: BlockInfo): boolean
  /** Nobody waits for it any more. */
  leave(): void
}

export interface StageOut {
  send(event: StreamEvent): void
  ended(): void
  /** More would come than is taken; and again it may. */
  pause(): void
  resume(): void
  /** The answer is over here: all that is to be said was sent, and nothing more is wanted. */
  halt(): void
  /** It cannot go on, and nobody waits on the stack to be told: the answer ends as an error. */
  fail(error: unknown): void
}
