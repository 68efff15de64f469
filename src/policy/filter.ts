/**
 * A policy that sees every event and sends what is to leave. Neighbours: `block/assemble.ts` keeps the state that it is
 * shown, `engine.ts` has it in a row with others. One event at a time: while it thinks, the next ones wait.
 */
import { createAssembler } from '../block/assemble.ts'
import { belongsToBlock, type ChunkAnswer } from '../block/processor.ts'
import type { StreamEvent } from '../event/event.ts'
import type { Context } from './context.ts'
import { createEnding } from './ending.ts'
import type { PolicyHost } from './host.ts'
import { noticeBlock, toHaltNotice } from './notice.ts'
import type { FilterContext, Installed, Policy } from './policy.ts'
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
  const { policy, onError } = installed
  const assembler = createAssembler()
  const ending = createEnding()
  const sent = new WeakSet<StreamEvent>()
  const waiting: StreamEvent[] = []
  let at = 0
  let isBusy = false
  let isPaused = false
  let isEnding = false
  let isOver = false
  /** It failed, and its config says that what it would have looked at passes. */
  let isBypassed = false
  let ends: string | undefined

  function forward(event: StreamEvent): void {
    if (isOver || sent.has(event)) return
    sent.add(event)
    ending.note(event)
    out.send(event)
  }

  const filterContext: FilterContext = Object.assign(context, {
    send(...events: readonly StreamEvent[]) {
      for (const event of events) forward(event)
    },
    terminate(reason = '') {
      ends ??= reason
    },
  })

  function take(event: StreamEvent): void {
    if (isBypassed) return forward(event)
    try {
      const state = assembler.apply(event)
      const answer = call(policy, event, state, filterContext)
      if (!(answer instanceof Promise)) return after(event, answer)
      isBusy = true
      answer.then(
        (said) => {
          isBusy = false
          after(event, said)
          drain()
        },
        (error: unknown) => {
          isBusy = false
          fail(event, error)
          drain()
        },
      )
    } catch (error) {
      fail(event, error)
    }
  }

  function after(event: StreamEvent, answer: ChunkAnswer): void {
    if (isOver) return
    if (ends !== undefined && event.type !== 'message-start')
      return close(ends === '' ? [] : noticeBlock(toHaltNotice(ends), undefined))
    if (answer !== 'hold' && !belongsToBlock(event)) forward(event)
    if (ends !== undefined) close(ends === '' ? [] : noticeBlock(toHaltNotice(ends), undefined))
  }

  function close(last: readonly StreamEvent[]): void {
    isOver = true
    waiting.length = 0
    ending.close(last, (event) => out.send(event))
    out.halt()
  }

  function fail(event: StreamEvent, error: unknown): void {
    if (isOver) return
    const name = error instanceof Error ? error.name : typeof error
    host.log(policy).warn('A policy failed', { policy: policy.name, error: name })
    if (onError === 'pass') {
      isBypassed = true
      return forward(event)
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
    passes: () => isBypassed,
    leave() {
      isOver = true
      waiting.length = 0
    },
  }
}

const call = (
  policy: Policy,
  event: StreamEvent,
  state: Parameters<NonNullable<Policy['onChunk']>>[1],
  context: FilterContext,
): ChunkAnswer | Promise<ChunkAnswer> => policy.onChunk?.(event, state, context)
