/**
 * How much an answer says, for an estimate of what it cost. Neighbours: `deliver.ts` asks, `draft.ts` estimates. By its frames an
 * answer looks many times as long on a wire that repeats the request in them.
 */
import type { StreamState } from '../block/state.ts'
import type { StreamBlock } from '../event/block.ts'

/** In bytes; `undefined` where its upstream has said what it cost. */
export const bytesSaidBy = ({ usage, blocks }: StreamState): number | undefined =>
  usage?.outputTokens === undefined
    ? blocks.reduce((sum, block) => sum + bytesOf(block), 0)
    : undefined

function bytesOf(block: StreamBlock): number {
  switch (block.type) {
    case 'text':
    case 'thinking':
    case 'refusal':
      return Buffer.byteLength(block.text)
    case 'tool-call':
    case 'server-tool':
      return Buffer.byteLength(block.name) + Buffer.byteLength(block.arguments)
    // What the provider's tools found is not what the model wrote.
    case 'tool-result':
      return 0
    // Whatever it is: a budget rather counts too much than nothing.
    case 'opaque':
      return Buffer.byteLength(JSON.stringify(block.raw))
  }
}
