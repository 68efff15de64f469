/**
 * Buffer everything until a tool call is judged. Nothing of a block leaves before the call behind it
 * is found good; then all of it does. An answer without a call leaves when it finishes.
 */
import { createStreamProcessor, textBlock } from '../../../src/index.ts'
import type {
  BlockOf,
  StreamBlock,
  StreamContext,
  StreamEvent,
  StreamProcessor,
} from '../../../src/index.ts'

type Held = readonly { readonly chunk: StreamEvent; readonly block: StreamBlock }[]

export function holdEverything(isDenied: (call: BlockOf<'tool-call'>) => boolean): StreamProcessor {
  return createStreamProcessor({
    async onChunk(chunk, { blocks, currentBlock, justCompleted }, context) {
      const held = context.state('held', () => ({ chunks: [] as Held }))
      if (currentBlock !== undefined) held.chunks = [...held.chunks, { chunk, block: currentBlock }]

      if (justCompleted?.type === 'tool-call') {
        if (isDenied(justCompleted)) {
          // No text may follow a call on the Anthropic wire: the reason is told if this is the first.
          const isFirst = blocks.find(({ type }) => type === 'tool-call') === justCompleted
          if (isFirst)
            await context.send(...textBlock(`${justCompleted.name} is not allowed here.`))
          context.terminate()
          return
        }
        held.chunks = await sendAll(held.chunks, context)
      }
      // The finish is seen here before it is sent on by itself: what no call followed leaves now.
      if (chunk.type === 'finish') held.chunks = await sendAll(held.chunks, context)
    },
  })
}

/** Sends what is held, and gives back what must wait: with several choices another call may grow. */
async function sendAll(held: Held, context: StreamContext): Promise<Held> {
  const mustWait = ({ block }: Held[number]): boolean =>
    block.type === 'tool-call' && !block.isComplete
  for (const one of held) if (!mustWait(one)) await context.send(one.chunk)
  return held.filter(mustWait)
}
