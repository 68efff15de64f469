/**
 * A filter in shadow: it sees every event and sends into the void, and what it would have changed is recorded when the
 * answer is over. Neighbours: `filter.ts` runs it as it would without a shadow, `engine.ts` puts it beside the answer. Nothing
 * waits for it: one that falls too far behind is given up.
 */
import { createAssembler, type Assembler } from '../block/assemble.ts'
import type { StreamBlock } from '../event/block.ts'
import type { StreamEvent } from '../event/event.ts'
import { createFilter, type FilterOptions } from './filter.ts'
import type { Installed, VerdictRecord } from './policy.ts'
import type { PolicyStage, StageOut } from './stage.ts'

/** What is looked at twice. Longer answers are not compared. */
const MAX_CHARS = 8 * 1024 * 1024

export interface ShadowFilterOptions extends FilterOptions {
  /** Told of work that goes on after the answer. */
  wait(work: Promise<unknown>): void
}

export function createShadowFilter(options: ShadowFilterOptions, out: StageOut): PolicyStage {
  const { installed, host } = options
  const came = createAssembler({ maxMessageChars: MAX_CHARS })
  const left = createAssembler({ maxMessageChars: MAX_CHARS })
  let isOver = false
  let hasFailed = false
  let resolveDone = (): void => {}
  const done = new Promise<void>((resolve) => (resolveDone = resolve))

  // It denies when it fails: how that would have ended is then in its events.
  const filter = createFilter(
    { ...options, installed: { ...installed, onError: 'deny' } },
    {
      send(event) {
        hasFailed ||= event.type === 'error' && came.state.error === undefined
        left.apply(event)
      },
      ended: finish,
      halt: finish,
      pause: () => giveUp('it is too slow for this answer'),
      resume() {},
      fail: () => giveUp('it failed'),
    },
  )

  function finish(): void {
    if (isOver) return
    isOver = true
    if (!hasFailed) for (const record of compare(installed, came, left)) host.onVerdict(record)
    resolveDone()
  }

  function giveUp(why: string): void {
    if (isOver) return
    isOver = true
    filter.leave()
    const reason = `Policy "${installed.policy.name}" was not tried to the end: ${why}`
    host.onVerdict({ ...recordOf(installed), type: 'error', reason })
    resolveDone()
  }

  function watch(event: StreamEvent): void {
    try {
      came.apply(event)
      filter.push(event)
    } catch {
      giveUp('the answer is too long')
    }
  }

  return {
    push(event) {
      if (!isOver) watch(event)
      out.send(event)
    },
    end() {
      if (!isOver) filter.end()
      if (!isOver) options.wait(done)
      out.ended()
    },
    passes: () => true,
    leave() {
      if (isOver || came.state.isStopped) return
      isOver = true
      filter.leave()
      resolveDone()
    },
  }
}

const recordOf = ({ policy }: Installed): Omit<VerdictRecord, 'type' | 'reason'> => ({
  policy: policy.name,
  version: policy.version,
  tags: [],
  details: {},
  by: undefined,
  block: undefined,
  original: undefined,
  delivered: undefined,
  isShadow: true,
  tookMs: 0,
})

/** A record for each block that would have left in other words, or not at all, or that would have been new. */
function compare(installed: Installed, came: Assembler, left: Assembler): VerdictRecord[] {
  const after = new Map(left.state.blocks.map((block) => [block.info, block]))
  const records: VerdictRecord[] = []
  const add = (block: StreamBlock, original?: string, delivered?: string): void => {
    if (original === delivered) return
    const { type, id, index } = block
    const name = 'name' in block ? block.name : undefined
    records.push({
      ...recordOf(installed),
      type: 'change',
      reason: undefined,
      block: { type, id, index, name: type === 'tool-call' ? name : undefined },
      original,
      delivered,
    })
  }
  for (const block of came.state.blocks) {
    const then = after.get(block.info)
    after.delete(block.info)
    add(block, wordsOf(block), then === undefined ? undefined : wordsOf(then))
  }
  for (const block of after.values()) add(block, undefined, wordsOf(block))
  return records
}

function wordsOf(block: StreamBlock): string {
  if (block.type === 'tool-call' || block.type === 'server-tool') return block.arguments
  return block.type === 'opaque' ? '' : block.text
}
