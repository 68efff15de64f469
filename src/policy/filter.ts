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
import { createHeldBack, type HeldBack } from './held-back.ts'
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

export const createFilter = (options: FilterOptions, out: StageOut): PolicyStage =>
  new Filter(options, out)

/** A class, and not functions around what they share: every answer that is filtered has one, for as long as it takes. */
class Filter implements PolicyStage {
  private readonly installed: Installed
  private readonly host: PolicyHost
  private readonly out: StageOut
  private readonly context: FilterContext
  private readonly assembler = createAssembler()
  private readonly ending = createEnding()
  /** What has a place in the answer that nothing else can have: all but pieces of blocks. */
  private readonly sent = new WeakSet<StreamEvent>()
  private lastSent: StreamEvent | undefined
  /** Where it may fail without an end. */
  private readonly heldBack: HeldBack | undefined
  private readonly waiting: StreamEvent[] = []
  private at = 0
  private isBusy = false
  private isPaused = false
  private isEnding = false
  private isOver = false
  /** It failed, and its config says that what it would have looked at passes. */
  private isBypassed = false
  private ends: string | undefined
  private timer: ReturnType<typeof setTimeout> | undefined

  constructor({ installed, host, context }: FilterOptions, out: StageOut) {
    this.installed = installed
    this.host = host
    this.out = out
    this.heldBack = installed.onError === 'pass' ? createHeldBack() : undefined
    this.context = Object.assign(context, {
      send: (...events: readonly StreamEvent[]) => {
        // Who was too slow has no say any more: what it held back has left without it.
        if (!this.isBypassed) for (const event of events) this.forward(event)
      },
      terminate: (reason = '') => {
        this.ends ??= reason
      },
    })
  }

  push(event: StreamEvent): void {
    if (this.isOver) return
    if (!this.isBusy) return this.take(event)
    this.waiting.push(event)
    if (this.waiting.length > MAX_WAITING && !this.isPaused) {
      this.isPaused = true
      this.out.pause()
    }
  }

  end(): void {
    this.isEnding = true
    if (!this.isBusy) this.finish()
  }

  passes(): boolean {
    return this.isBypassed && !this.isBusy
  }

  leave(): void {
    this.isOver = true
    this.waiting.length = 0
    clearTimeout(this.timer)
  }

  private forward(event: StreamEvent, isByItself = false): void {
    if (this.isOver || this.hasSent(event)) return
    this.ending.note(event)
    this.heldBack?.sent(event, isByItself)
    this.out.send(event)
  }

  private hasSent(event: StreamEvent): boolean {
    if (event === this.lastSent) return true
    this.lastSent = event
    if (event.type === 'block-delta') return false
    if (this.sent.has(event)) return true
    this.sent.add(event)
    return false
  }

  private take(event: StreamEvent): void {
    if (this.isBypassed) return this.forward(event)
    let answer: ChunkAnswer | Promise<ChunkAnswer>
    try {
      this.heldBack?.came(event)
      const state = this.assembler.apply(event)
      answer = this.installed.policy.onChunk?.(event, state, this.context)
    } catch (error) {
      return this.fail(error)
    }
    if (answer instanceof Promise) this.wait(event, answer)
    else this.after(event, answer)
  }

  private wait(event: StreamEvent, answer: Promise<ChunkAnswer>): void {
    this.isBusy = true
    /** Once: the answer, or that it takes too long. */
    let isAnswered = false
    const go = (how: () => void): void => {
      if (isAnswered) return
      isAnswered = true
      clearTimeout(this.timer)
      this.isBusy = false
      try {
        how()
        this.drain()
      } catch (error) {
        this.out.fail(error)
      }
    }
    this.timer = setTimeout(() => go(() => this.fail(TOO_SLOW)), this.installed.timeoutMs)
    answer.then(
      (said) => go(() => this.after(event, said)),
      (error: unknown) => go(() => this.fail(error)),
    )
  }

  private after(event: StreamEvent, answer: ChunkAnswer): void {
    if (this.isOver) return
    const { ends } = this
    if (ends === undefined || event.type === 'message-start')
      if (answer !== 'hold' && !belongsToBlock(event)) this.forward(event, true)
    if (ends !== undefined) this.close(ends)
  }

  private close(reason: string): void {
    this.isOver = true
    this.waiting.length = 0
    this.host.onVerdict(recordOf(this.installed, 'halt', reason === '' ? undefined : reason))
    const last = reason === '' ? [] : noticeBlock(toHaltNotice(reason), undefined)
    this.ending.close(last, (event) => this.out.send(event))
    this.out.halt()
  }

  private fail(error: unknown): void {
    if (this.isOver) return
    const { policy } = this.installed
    const name = toFailureName(error)
    this.host.log(policy).warn('A policy failed', { policy: policy.name, error: name })
    const why = error === TOO_SLOW ? 'it took too long' : 'it failed'
    const words = `Policy "${policy.name}" could not decide: ${why}`
    this.host.onVerdict(recordOf(this.installed, 'error', words))
    if (this.heldBack !== undefined) {
      this.isBypassed = true
      for (const event of this.heldBack.rest()) this.forward(event)
      return
    }
    this.isOver = true
    this.waiting.length = 0
    this.out.send({
      type: 'error',
      error: { kind: 'internal', message: `Policy "${policy.name}" failed: the answer ends here` },
    })
    this.out.halt()
  }

  private drain(): void {
    const { waiting } = this
    // By place, not by shifting: many may wait.
    while (!this.isBusy && this.at < waiting.length) {
      const next = waiting[this.at++]
      if (next !== undefined) this.take(next)
    }
    if (this.at >= waiting.length) {
      waiting.length = 0
      this.at = 0
      if (this.isPaused) {
        this.isPaused = false
        this.out.resume()
      }
    }
    if (!this.isBusy && this.isEnding) this.finish()
  }

  private finish(): void {
    this.isOver = true
    this.out.ended()
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
