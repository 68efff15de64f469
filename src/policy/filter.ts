/**
 * A policy that sees every event and sends what is to leave. Neighbours: `block/assemble.ts` keeps the state that it is
 * shown, `held-back.ts` what it has not sent, `engine.ts` has it in a row with others. One event at a time: while it thinks,
 * the next ones wait.
 */
import { createAssembler } from '../block/assemble.ts'
import { belongsToBlock, type ChunkAnswer } from '../block/processor.ts'
import type { StreamEvent } from '../event/event.ts'
import type { Context } from './context.ts'
import { createEnding } from './ending.ts'
import { toFailureName } from './failure-name.ts'
import { createHeldBack } from './held-back.ts'
import type { PolicyHost } from './host.ts'
import { noticeBlock, toHaltNotice } from './notice.ts'
import type { FilterContext, Installed, VerdictRecord } from './policy.ts'
import type { PolicyStage, StageOut } from './stage.ts'

/** Above so many events that wait, the upstream waits too. */
const MAX_WAITING = 1000

export interface FilterOptions {
  readonly installed: Installed
  readonly host: PolicyHost
  readonly context: Context
}

export function createFilter(
  { installed, host, context }: FilterOptions,
  out: StageOut,
): PolicyStage {
  const { policy, onError, timeoutMs } = installed
  const assembler = createAssembler()
  const ending = createEnding()
  const sent = new WeakSet<StreamEvent>()
  /** Where it may fail without an end. */
  const heldBack = onError === 'pass' ? createHeldBack() : undefined
  const waiting: StreamEvent[] = []
  let at = 0
  let isBusy = false
  let isPaused = false
  let isEnding = false
  let isOver = false
  /** It failed, and its config says that what it would have looked at passes. */
  let isBypassed = false
  let ends: string | undefined
  let timer: ReturnType<typeof setTimeout> | undefined

  function forward(event: StreamEvent, isByItself = false): void {
    if (isOver || sent.has(event)) return
    sent.add(event)
    ending.note(event)
    heldBack?.sent(event, isByItself)
    out.send(event)
  }

  const filterContext: FilterContext = Object.assign(context, {
    send(...events: readonly StreamEvent[]) {
      // Who was too slow has no say any more: what it held back has left without it.
      if (!isBypassed) for (const event of events) forward(event)
    },
    terminate(reason = '') {
      ends ??= reason
    },
  })

  function take(event: StreamEvent): void {
    if (isBypassed) return forward(event)
    let answer: ChunkAnswer | Promise<ChunkAnswer>
    try {
      heldBack?.came(event)
      answer = policy.onChunk?.(event, assembler.apply(event), filterContext)
    } catch (error) {
      return fail(error)
    }
    if (answer instanceof Promise) wait(event, answer)
    else after(event, answer)
  }

  function wait(event: StreamEvent, answer: Promise<ChunkAnswer>): void {
    isBusy = true
    /** Once: the answer, or that it takes too long. */
    let isAnswered = false
    const go = (how: () => void): void => {
      if (isAnswered) return
      isAnswered = true
      clearTimeout(timer)
      isBusy = false
      try {
        how()
        drain()
      } catch (error) {
        out.fail(error)
      }
    }
    timer = setTimeout(() => go(() => fail(TOO_SLOW)), timeoutMs)
    answer.then(
      (said) => go(() => after(event, said)),
      (error: unknown) => go(() => fail(error)),
    )
  }

  function after(event: StreamEvent, answer: ChunkAnswer): void {
    if (isOver) return
    if (ends === undefined || event.type === 'message-start')
      if (answer !== 'hold' && !belongsToBlock(event)) forward(event, true)
    if (ends !== undefined) close(ends)
  }

  function close(reason: string): void {
    isOver = true
    waiting.length = 0
    host.onVerdict(recordOf(installed, 'halt', reason === '' ? undefined : reason))
    const last = reason === '' ? [] : noticeBlock(toHaltNotice(reason), undefined)
    ending.close(last, (event) => out.send(event))
    out.halt()
  }

  function fail(error: unknown): void {
    if (isOver) return
    const name = toFailureName(error)
    host.log(policy).warn('A policy failed', { policy: policy.name, error: name })
    const why = error === TOO_SLOW ? 'it took too long' : 'it failed'
    host.onVerdict(recordOf(installed, 'error', `Policy "${policy.name}" could not decide: ${why}`))
    if (heldBack !== undefined) {
      isBypassed = true
      for (const event of heldBack.rest()) forward(event)
      return
    }
    isOver = true
    waiting.length = 0
    out.send({
      type: 'error',
      error: { kind: 'internal', message: `Policy "${policy.name}" failed: the answer ends here` },
    })
    out.halt()
  }

  function drain(): void {
    // By place, not by shifting: many may wait.
    while (!isBusy && at < waiting.length) {
      const next = waiting[at++]
      if (next !== undefined) take(next)
    }
    if (at >= waiting.length) {
      waiting.length = 0
      at = 0
      if (isPaused) {
        isPaused = false
        out.resume()
      }
    }
    if (!isBusy && isEnding) finish()
  }

  function finish(): void {
    if (isOver) return out.ended()
    isOver = true
    out.ended()
  }

  return {
    push(event) {
      if (isOver) return
      if (!isBusy) return take(event)
      waiting.push(event)
      if (waiting.length > MAX_WAITING && !isPaused) {
        isPaused = true
        out.pause()
      }
    },
    end() {
      isEnding = true
      if (!isBusy) finish()
    },
    passes: () => isBypassed && !isBusy,
    leave() {
      isOver = true
      waiting.length = 0
      clearTimeout(timer)
    },
  }
}

const TOO_SLOW = new Error('It took too long')

const recordOf = (
  { policy, isShadow }: Installed,
  type: 'error' | 'halt',
  reason: string | undefined,
): VerdictRecord => ({
  policy: policy.name,
  version: policy.version,
  type,
  reason,
  tags: [],
  details: {},
  by: undefined,
  block: undefined,
  original: undefined,
  delivered: undefined,
  isShadow,
  tookMs: 0,
})
