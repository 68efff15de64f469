/**
 * Whole blocks as events: what a policy says instead of a block. Neighbours: `block/processor.ts`
 * and policies use it. Knows no wire.
 */
import type { BlockInfo } from './block.ts'
import type { Delta, StreamEvent } from './event.ts'

/** A block that a policy says: where it stands is the encoder's business, so it has no place of its own. */
const MADE = { id: '', index: 0 } as const

/** A text of ours as a whole block. */
export function textBlock(text: string, choice?: number): readonly StreamEvent[] {
  const block: BlockInfo = { ...MADE, type: 'text', ...(choice === undefined ? {} : { choice }) }
  return wholeBlock(block, { type: 'text', text })
}

/** A tool call as a whole block; `args` is an object or raw JSON text. */
export function toolCallBlock(
  call: { id: string; name: string; args: Readonly<Record<string, unknown>> | string },
  choice?: number,
): readonly StreamEvent[] {
  const block: BlockInfo = {
    ...MADE,
    id: call.id,
    type: 'tool-call',
    name: call.name,
    dialect: 'function',
    ...(choice === undefined ? {} : { choice }),
  }
  const text = typeof call.args === 'string' ? call.args : JSON.stringify(call.args)
  return wholeBlock(block, { type: 'arguments', text })
}

/** A block with all that it says. */
export function wholeBlock(block: BlockInfo, delta: Delta): readonly StreamEvent[] {
  const of = block.choice === undefined ? {} : { choice: block.choice }
  return [
    { type: 'block-start', block, ...of },
    { type: 'block-delta', block, delta, ...of },
    { type: 'block-stop', block, ...of },
  ]
}
