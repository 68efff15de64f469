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

export const createLastLook = (name: string, host: PolicyHost, out: StageOut): PolicyStage =>
  new LastLook(name, host, out)

class LastLook implements PolicyStage {
  private readonly name: string
  private readonly host: PolicyHost
  private readonly out: StageOut
  private readonly left = createWhatIsLeft()
  private stopped: Set<BlockInfo> | undefined

  constructor(name: string, host: PolicyHost, out: StageOut) {
    this.name = name
    this.host = host
    this.out = out
  }

  push(event: StreamEvent): void {
    if (event.type === 'block-start') return this.begin(event)
    if (event.type === 'finish') {
      for (const one of this.left.finishOf(event)) this.say(one)
      return
    }
    const isStopped =
      this.stopped !== undefined &&
      'block' in event &&
      event.block !== undefined &&
      this.stopped.has(event.block)
    if (!isStopped) this.out.send(event)
  }

  end(): void {
    this.out.ended()
  }

  passes(): boolean {
    return true
  }

  leave(): void {}

  private begin(event: EventOf<'block-start'>): void {
    const { block } = event
    const reason = block.type === 'tool-call' ? this.host.haltedBy() : undefined
    if (reason === undefined) {
      this.left.leaves(block)
      return this.out.send(event)
    }
    this.stopped ??= new Set()
    this.stopped.add(block)
    this.left.dropped(block, 0)
    const delivered = toNotice({ block, reason })
    this.host.onVerdict(toRecord(this.name, block, { reason, delivered }))
    for (const one of noticeBlock(delivered, block.choice)) this.say(one)
  }

  private say(event: StreamEvent): void {
    if (event.type === 'block-start') this.left.leaves(event.block)
    this.out.send(event)
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
