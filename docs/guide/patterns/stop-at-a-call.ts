/**
 * React to a completed tool call and stop. Everything flows, but a call waits until it is whole,
 * because what has left cannot be taken back. The first call that may not run ends the answer.
 */
import { createStreamProcessor, textBlock } from '../../../src/index.ts'
import type { BlockOf, StreamBlock, StreamEvent, StreamProcessor } from '../../../src/index.ts'

export function stopAtCall(isDenied: (call: BlockOf<'tool-call'>) => boolean): StreamProcessor {
  return createStreamProcessor({
    async onChunk(chunk, { blocks, currentBlock, justCompleted }, context) {
      if (currentBlock?.type !== 'tool-call') return context.send(chunk)

      // By block: with several choices, two calls may grow at a time.
      const calls = context.state('calls', () => new Map<StreamBlock, StreamEvent[]>())
      const held = [...(calls.get(currentBlock) ?? []), chunk]
      calls.set(currentBlock, held)
      if (!currentBlock.isComplete) return

      if (currentBlock === justCompleted && isDenied(currentBlock)) {
        // No text may follow a call on the Anthropic wire: the reason is told if this is the first.
        const isFirst = blocks.find(({ type }) => type === 'tool-call') === currentBlock
        if (isFirst) await context.send(...textBlock(`${currentBlock.name} is not allowed here.`))
        context.terminate()
        return
      }
      // What was sent before is not sent again.
      await context.send(...held)
    },
  })
}
