/**
 * What has come of an answer so far: handed to every callback. Neighbours: `assemble.ts` keeps it,
 * `processor.ts` hands it out. Knows no wire.
 */
import type { Answer } from '../event/answer.ts'
import type { StreamBlock } from '../event/block.ts'

export interface StreamState extends Answer {
  /** All blocks in order, the growing one last. */
  readonly blocks: readonly StreamBlock[]
  /** The block that the current event belongs to. */
  readonly currentBlock: StreamBlock | undefined
  /** The block that the current event completed: equals `currentBlock` then, and is gone with the next event. */
  readonly justCompleted: StreamBlock | undefined
}
