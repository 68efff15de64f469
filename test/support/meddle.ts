/**
 * A policy without sense: does to each block what the next move says. What comes out must still be legal.
 */
import type { BlockInfo } from '../../src/event/block.ts'
import type { StreamEvent } from '../../src/event/event.ts'
import { textBlock, toolCallBlock } from '../../src/event/make.ts'

/** Does to each block what the next move says: pass, deny, insert before or after, replace, rewrite, drop. */
export function* meddle(
  events: readonly StreamEvent[],
  moves: readonly number[],
): Generator<StreamEvent> {
  const fates = new Map<BlockInfo, number>()
  let next = 0
  for (const event of events) {
    const block = 'block' in event ? event.block : undefined
    if (block === undefined) {
      // Now and then something between the blocks is left out too.
      const isLeftOut =
        (event.type === 'usage' || event.type === 'other') && moves[next++ % moves.length] === 6
      if (!isLeftOut) yield event
      continue
    }
    if (!fates.has(block)) fates.set(block, moves[next++ % moves.length] ?? 0)
    const fate = fates.get(block)
    const isStart = event.type === 'block-start'
    const isStop = event.type === 'block-stop'
    if (fate === 0) yield event
    else if (fate === 1 && isStop) yield* textBlock('This call was not allowed.', block.choice)
    else if (fate === 2) {
      if (isStart) yield* textBlock('Before.', block.choice)
      yield event
    } else if (fate === 3) {
      yield event
      if (isStop) yield* textBlock('After.', block.choice)
    } else if (fate === 4 && isStop)
      yield* toolCallBlock({ id: 'call_made', name: 'other', args: { a: 1 } }, block.choice)
    else if (fate === 5 && event.type === 'block-delta' && event.delta.type === 'text')
      yield {
        type: 'block-delta',
        block,
        delta: { type: 'text', text: 'X' },
        ...(block.choice === undefined ? {} : { choice: block.choice }),
      }
    else if (fate === 5) yield event
  }
}
