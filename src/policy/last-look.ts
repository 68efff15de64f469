/**
 * The kill switch, asked at the last moment: a call that its policies let pass may still wait for another one, and all
 * that time the switch can be thrown. Neighbours: `engine.ts` puts it behind everything that waits; `gate.ts` asks the
 * switch too, so that nobody judges in vain. Holds nothing.
 */
import type { BlockInfo } from '../event/block.ts'
import type { EventOf, StreamEvent } from '../event/event.ts'
import type { PolicyHost } from './host.ts'
import { noticeBlock, toNotice } from './notice.ts'
import type { VerdictRecord } from './policy.ts'
import type { PolicyStage, StageOut } from './stage.ts'
import { createWhatIsLeft } from './what-is-left.ts'

export function createLastLook(name: string, host: PolicyHost, out: StageOut): PolicyStage {
  const left = createWhatIsLeft()
  let stopped: Set<BlockInfo> | undefined

  function begin(event: EventOf<'block-start'>): void {
    const { block } = event
    const reason = block.type === 'tool-call' ? host.haltedBy() : undefined
    if (reason === undefined) {
      left.leaves(block)
      return out.send(event)
    }
    stopped ??= new Set()
    stopped.add(block)
    left.dropped(block, 0)
    const delivered = toNotice({ block, reason })
    host.onVerdict(toRecord(name, block, { reason, delivered }))
    for (const one of noticeBlock(delivered, block.choice)) say(one)
  }

  function say(event: StreamEvent): void {
    if (event.type === 'block-start') left.leaves(event.block)
    out.send(event)
  }

  return {
    push(event) {
      if (event.type === 'block-start') return begin(event)
      if (event.type === 'finish') return left.finishOf(event).forEach(say)
      const isStopped =
        stopped !== undefined &&
        'block' in event &&
        event.block !== undefined &&
        stopped.has(event.block)
      if (!isStopped) out.send(event)
    },
    end: () => out.ended(),
    passes: () => true,
    leave() {},
  }
}

const toRecord = (
  policy: string,
  { type, id, index, ...block }: BlockInfo,
  { reason, delivered }: { readonly reason: string; readonly delivered: string },
): VerdictRecord => ({
  policy,
  version: undefined,
  type: 'deny',
  reason,
  tags: [],
  details: {},
  by: undefined,
  block: { type, id, index, name: 'name' in block ? block.name : undefined },
  original: undefined,
  delivered,
  isShadow: false,
  tookMs: 0,
})
