/**
 * A policy that watches: blocks pass by, and it sees those that are whole. Also a policy in shadow: it judges what passes,
 * nothing waits for it, and what it would have done is recorded. Neighbours: `engine.ts`.
 */
import { createGrowingBlock, type GrowingBlock } from '../block/growing-block.ts'
import type { BlockInfo, BlockOf, BlockType } from '../event/block.ts'
import type { StreamEvent } from '../event/event.ts'
import type { Context } from './context.ts'
import type { PolicyHost } from './host.ts'
import { toFailureName } from './failure-name.ts'
import { Judging, toRecord } from './judging.ts'
import type { HeldType, Installed } from './policy.ts'
import type { PolicyStage, StageOut } from './stage.ts'

export interface TapOptions {
  readonly installed: Installed
  readonly host: PolicyHost
  readonly context: Context
  /** Told of work that goes on after the answer. Never rejects. */
  wait(work: Promise<unknown>): void
}

const ALL: readonly BlockType[] = [
  'text',
  'thinking',
  'tool-call',
  'refusal',
  'server-tool',
  'tool-result',
  'opaque',
]

export function createTap(options: TapOptions, out: StageOut): PolicyStage {
  const { installed, host, context } = options
  const { policy, isShadow } = installed
  const judged: ReadonlySet<string> = new Set(
    isShadow && policy.judge !== undefined ? (policy.holds ?? ['tool-call']) : [],
  )
  const watched: ReadonlySet<string> = new Set([
    ...judged,
    ...(policy.onBlock === undefined ? [] : (policy.watches ?? ALL)),
  ])
  const judging = new Judging({ installed, host, context, crashed: warn })
  const growing = new Map<BlockInfo, GrowingBlock>()
  /** Judgments under way. */
  const cancels = new Set<() => void>()
  let isStopped = false

  function see({ block }: GrowingBlock): void {
    if (judged.has(block.type)) judgeInShadow(block as BlockOf<HeldType>)
    if (policy.onBlock === undefined) return
    try {
      const seen = policy.onBlock(block, context)
      if (seen instanceof Promise) options.wait(seen.catch(warn))
    } catch (error) {
      warn(error)
    }
  }

  function judgeInShadow(block: BlockOf<HeldType>): void {
    let isDone = false
    const work = new Promise<void>((resolve) => {
      const stop = judging.judge(block, (result) => {
        isDone = true
        cancels.delete(cancel)
        host.onVerdict(toRecord(installed, result, { block, delivered: undefined }))
        resolve()
      })
      function cancel(): void {
        stop()
        resolve()
      }
      if (!isDone) cancels.add(cancel)
    })
    if (!isDone) options.wait(work)
  }

  function warn(error: unknown): void {
    const name = toFailureName(error)
    host.log(policy).warn('A policy failed while it watched', { policy: policy.name, error: name })
  }

  function watch(event: StreamEvent): void {
    if (event.type === 'block-start') {
      if (watched.has(event.block.type)) growing.set(event.block, createGrowingBlock(event.block))
      return
    }
    if (growing.size === 0) return
    if (event.type === 'block-delta') growing.get(event.block)?.grow(event.delta)
    else if (event.type === 'block-stop') {
      const one = growing.get(event.block)
      if (one === undefined) return
      growing.delete(event.block)
      one.complete(event.vendor, event.isCut)
      see(one)
    }
  }

  return {
    push(event) {
      watch(event)
      if (event.type === 'message-stop') isStopped = true
      out.send(event)
    },
    end: () => out.ended(),
    passes: () => true,
    leave() {
      growing.clear()
      // Who hangs up behind the last event has heard it all: what is looked at beside it goes on.
      if (!isStopped) for (const cancel of cancels) cancel()
    },
  }
}
