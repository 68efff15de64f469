/**
 * What a block says, as one text. Neighbours: whoever shows or compares blocks. Knows no wire.
 */
import type { StreamBlock } from './block.ts'

/** Its text or its arguments; of a block that only its vendor can read, what it is. */
export function contentOf(block: StreamBlock): string {
  switch (block.type) {
    case 'text':
    case 'refusal':
    case 'tool-result':
    case 'thinking':
      return block.text
    case 'tool-call':
    case 'server-tool':
      return block.arguments
    case 'opaque':
      return block.vendorType
  }
}
