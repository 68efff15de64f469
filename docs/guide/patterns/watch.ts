/**
 * Forward everything and only watch. The client gets the very bytes of the upstream; you get every
 * block when it is complete, and the whole answer at its end, however it ended.
 */
import { createStreamProcessor } from '../../../src/index.ts'
import type { StreamBlock, StreamProcessor, StreamState } from '../../../src/index.ts'

export interface Watcher {
  onBlock(block: StreamBlock): void
  onEnd?(state: StreamState): void
}

export function watch(watcher: Watcher): StreamProcessor {
  return createStreamProcessor({
    async onChunk(chunk, { justCompleted }, context) {
      await context.send(chunk)
      if (justCompleted !== undefined) watcher.onBlock(justCompleted)
    },
    onEnd: (state) => watcher.onEnd?.(state),
  })
}
