/**
 * Block-level callbacks for any block type: name the types you care about and get whole blocks of
 * those types. Types that come later need no change here.
 */
import { createStreamProcessor } from '../../../src/index.ts'
import type { BlockOf, BlockType, StreamBlock, StreamProcessor } from '../../../src/index.ts'

export type BlockCallbacks = {
  readonly [Type in BlockType]?: (block: BlockOf<Type>) => void | Promise<void>
}

export function onBlock(callbacks: BlockCallbacks): StreamProcessor {
  return createStreamProcessor({
    async onChunk(chunk, { justCompleted }, context) {
      await context.send(chunk)
      if (justCompleted !== undefined) await callbackFor(callbacks, justCompleted)?.(justCompleted)
    },
  })
}

/** The key and the argument have the same type, which the compiler cannot see through the union. */
const callbackFor = (callbacks: BlockCallbacks, block: StreamBlock) =>
  callbacks[block.type] as ((block: StreamBlock) => void | Promise<void>) | undefined
