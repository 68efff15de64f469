/**
 * Which files a call would touch. Neighbours: `../facts-of.ts` finds them out, `call-limit.ts` counts them.
 */
import type { BlockOf } from '../../event/block.ts'
import type { PolicyContext } from '../../policy/policy.ts'
import { factsOf } from '../facts-of.ts'

export interface TouchedFiles {
  readonly touched: readonly string[]
  /** Deleted ones included. */
  readonly written: readonly string[]
}

export function filesOf(block: BlockOf<'tool-call'>, context: PolicyContext): TouchedFiles {
  const { files } = factsOf(block, context)
  const written = [...files.written, ...files.deleted]
  return { touched: [...files.read, ...written], written }
}
