/**
 * The stream processor: calls you for every chunk of an answer, with the whole state, and sends what
 * you decide. Neighbours: `assemble.ts` keeps the state; a context made by `context.ts` is the way
 * out. Knows no wire, so the same callback serves all three.
 */
import type { StreamEvent } from '../event/event.ts'
import { createAssembler, type AssemblerLimits } from './assemble.ts'
import type { StreamContext } from './context.ts'
import type { StreamState } from './state.ts'
import { untilAborted } from './until-aborted.ts'

/**
 * What a callback may say of a chunk: nothing, or `'hold'` for "I send this one myself, or not at
 * all". It only matters for chunks that belong to no block, because those are sent on by themselves.
 */
export type ChunkAnswer = void | 'hold'

export interface StreamProcessorOptions extends AssemblerLimits {
  /** Sees every event, in order, one at a time. Block events leave only if it sends them. */
  onChunk(
    chunk: StreamEvent,
    state: StreamState,
    context: StreamContext,
  ): ChunkAnswer | Promise<ChunkAnswer>
  /** Runs once, always: after the last chunk, after `terminate`, and after an error. */
  onEnd?(state: StreamState, context: StreamContext): void | Promise<void>
}

export interface StreamProcessor {
  /** Reads to the end, or until the context is terminated or aborted. */
  process(
    incoming: AsyncIterable<StreamEvent> | Iterable<StreamEvent>,
    context: StreamContext,
  ): Promise<void>
}

export function createStreamProcessor(options: StreamProcessorOptions): StreamProcessor {
  return {
    async process(incoming, context) {
      const assembler = createAssembler(options)
      try {
        for await (const chunk of untilAborted(incoming, context.signal)) {
          const state = assembler.apply(chunk)
          const answer = await options.onChunk(chunk, state, context)
          if (answer !== 'hold' && leavesByItself(chunk, context)) await context.send(chunk)
          if (context.isTerminated) break
        }
      } finally {
        try {
          await options.onEnd?.(assembler.state, context)
        } finally {
          await context.close()
        }
      }
    },
  }
}

/** A terminated answer gets its end from the context, but it needs its beginning too. */
const leavesByItself = (chunk: StreamEvent, { isTerminated }: StreamContext): boolean =>
  isTerminated ? chunk.type === 'message-start' : !belongsToBlock(chunk)

/** Whether the chunk is a piece of a block, and so waits for you to send it. */
export const belongsToBlock = (chunk: StreamEvent): boolean =>
  'block' in chunk && chunk.block !== undefined
