/**
 * Blocks wait for a verdict: nothing of one leaves before it, and what comes behind waits in order. Neighbours:
 * `judging.ts` asks the policy, `carry-out.ts` says what leaves instead, `engine.ts` has the gates in a row. Knows no wire.
 */
import { FewMap } from '../base/few.ts'
import type { BlockInfo } from '../event/block.ts'
import type { EventOf, StreamEvent } from '../event/event.ts'
import { carryOut, type Outcome } from './carry-out.ts'
import type { Context } from './context.ts'
import { createEnding } from './ending.ts'
import {
  argumentsOf,
  blockOf,
  createHeld,
  isInside,
  othersIn,
  wholeCopy,
  type Early,
  type Held,
} from './held.ts'
import type { PolicyHost } from './host.ts'
import { interleavedFrom, isDecided, mergeEntries, type Entry } from './interleaved.ts'
import { Judging, toRecord, type Judged } from './judging.ts'
import { noticeBlock, toHaltNotice } from './notice.ts'
import type { HeldType, Installed, VerdictRecord } from './policy.ts'
import type { PolicyStage, StageOut } from './stage.ts'
import { deny } from './verdict.ts'
import { MAX_HELD_BYTES, tooMuch, weightOf } from './weight.ts'
import { createWhatIsLeft } from './what-is-left.ts'

/** So many that have left are forgotten at once: those behind them may wait for long. */
const MAX_LEFT = 1024

/** What is held where a policy does not say. */
const CALLS: readonly HeldType[] = ['tool-call']

export interface GateOptions {
  readonly installed: Installed
  readonly host: PolicyHost
  readonly context: Context
  /** The most that may wait. */
  readonly maxBytes?: number
}

export const createGate = (options: GateOptions, out: StageOut): PolicyStage =>
  new Gate(options, out)

/** A class, and not functions around what they share: every answer behind a gate has one, for as long as it takes. */
class Gate implements PolicyStage {
  private readonly installed: Installed
  private readonly host: PolicyHost
  private readonly out: StageOut
  private readonly maxBytes: number
  private readonly holds: readonly string[]
  private readonly judging: Judging
  private readonly ending = createEnding()
  private readonly left = createWhatIsLeft()
  private readonly held = new FewMap<BlockInfo, Held>()
  /** Blocks that will not leave: what still comes of them has no place. */
  private gone: WeakSet<BlockInfo> | undefined
  private readonly queue: Entry[] = []
  private first = 0
  /** What all that waits weighs. */
  private bytes = 0
  private isEnding = false
  private isOver = false

  constructor({ installed, host, context, maxBytes = MAX_HELD_BYTES }: GateOptions, out: StageOut) {
    this.installed = installed
    this.host = host
    this.out = out
    this.maxBytes = maxBytes
    this.holds = installed.policy.holds ?? CALLS
    this.judging = new Judging({ installed, host, context, crashed: (error) => out.fail(error) })
  }

  push(event: StreamEvent): void {
    if (this.isOver) return
    if (event.type === 'error') return this.fail(event)
    const info = 'block' in event ? event.block : undefined
    if (info !== undefined) {
      const one = this.held.size === 0 ? undefined : this.held.get(info)
      if (one !== undefined) return this.take(one, event)
      if (this.gone?.has(info) === true) return
      if (event.type === 'block-start' && this.holds.includes(info.type)) return this.hold(event)
    }
    if (this.queue.length === 0) return this.forward(event)
    const last = this.queue[this.queue.length - 1]
    // What comes in the middle of a block and is none of it leaves there too.
    if (info === undefined && last !== undefined && 'growing' in last && isInside(event, last))
      this.keep(last, event)
    else this.wait(event, undefined)
  }

  end(): void {
    this.isEnding = true
    // Blocks that never stopped are not whole: there is nothing to judge.
    for (const one of this.held.values())
      if (!one.growing.block.isComplete) {
        one.cancel?.()
        one.out = []
        this.loseBlock(one)
      }
    if (this.isOver) this.out.ended()
    else this.flush()
  }

  gathers(block: BlockInfo): boolean {
    const one = this.held.get(block)
    return one?.growing.block.isComplete === false && one.early === undefined
  }

  passes(block: BlockInfo): boolean {
    return this.queue.length === 0 && !this.holds.includes(block.type) && !this.isOver
  }

  leave(): void {
    this.isOver = true
    this.drop()
  }

  private forward(event: StreamEvent): void {
    if (event.type === 'finish') for (const one of this.left.finishOf(event)) this.send(one)
    else this.send(event)
  }

  private send(event: StreamEvent): void {
    this.ending.note(event)
    if (event.type === 'block-start') this.left.leaves(event.block)
    this.out.send(event)
  }

  private hold(event: EventOf<'block-start'>): void {
    const one = createHeld(event, this.installed.policy.isEager === true)
    this.held.set(one.info, one)
    this.queue.push(one)
    this.keep(one, event)
  }

  private keep(one: Held, event: StreamEvent): void {
    one.events.push(event)
    one.bytes += this.weigh(event)
  }

  private wait(event: StreamEvent, owner: Held | undefined): void {
    this.queue.push({ event, owner })
    this.weigh(event)
  }

  /** Whoever decides may take for ever, and the upstream does not wait. */
  private weigh(event: StreamEvent): number {
    const weight = weightOf(event)
    this.bytes += weight
    if (this.bytes > this.maxBytes)
      throw tooMuch(this.maxBytes, `policy "${this.installed.policy.name}"`)
    return weight
  }

  private grow(one: Held, event: EventOf<'block-delta'>): void {
    this.keep(one, event)
    one.growing.grow(event.delta)
    const { early } = one
    if (early === undefined || early.text !== undefined || !('text' in event.delta)) return
    if (early.scanner.feed(event.delta.text)) this.beginEarly(one, early)
  }

  private beginEarly(one: Held, early: Early): void {
    early.text = argumentsOf(one)
    one.cancel = this.judging.judge(wholeCopy(one, early.text), (judged) => {
      early.judged = judged
      early.onJudged?.(judged)
    })
  }

  private stop(one: Held, event: EventOf<'block-stop'>): void {
    this.keep(one, event)
    one.growing.complete(event.vendor, event.isCut)
    const { early } = one
    if (early?.text !== undefined && early.text.trim() === argumentsOf(one).trim()) {
      if (early.judged !== undefined) return this.settle(one, early.judged)
      early.onJudged = (judged) => this.settle(one, judged)
      return
    }
    one.cancel?.()
    one.cancel = undefined
    const cancel = this.judging.judge(blockOf(one), (judged) => this.settle(one, judged))
    if (one.out === undefined) one.cancel = cancel
  }

  private settle(one: Held, judged: Judged): void {
    if (this.isOver || one.out !== undefined) return
    const block = blockOf(one)
    const halted = one.info.type === 'tool-call' ? this.host.haltedBy() : undefined
    const verdict = halted === undefined ? judged.verdict : deny(halted)
    if (verdict.type === 'halt') {
      this.host.onVerdict(toRecord(this.installed, judged, { block, delivered: undefined }))
      return this.haltAt(one, verdict.reason)
    }
    const outcome = carryOut(verdict, block, this.host)
    this.host.onVerdict(this.recordOf(one, { ...judged, verdict }, outcome))
    if (outcome.events === undefined) one.out = one.events
    else {
      one.out = [...outcome.events, ...othersIn(one)]
      this.loseBlock(one)
      this.left.dropped(one.info, outcome.made)
    }
    one.events = []
    this.flush()
  }

  private recordOf(one: Held, judged: Judged, { delivered, problem }: Outcome): VerdictRecord {
    const record = toRecord(this.installed, judged, { block: blockOf(one), delivered })
    return problem === undefined ? record : { ...record, type: 'error', reason: problem }
  }

  private loseBlock(one: Held): void {
    one.isDropped = true
    this.gone ??= new WeakSet()
    this.gone.add(one.info)
    this.held.delete(one.info)
  }

  /** What stands before it leaves as far as it may, and nothing behind it. */
  private haltAt(one: Held, reason: string): void {
    this.queue.length = this.queue.indexOf(one, this.first)
    this.isEnding = false
    this.flush()
    if (this.isOver) return
    this.isOver = true
    this.drop()
    this.ending.close(noticeBlock(toHaltNotice(reason), undefined), (event) => this.out.send(event))
    this.out.halt()
  }

  /** Nobody waits for what is still held. */
  private drop(): void {
    for (const one of this.held.values()) if (one.out === undefined) one.cancel?.()
    this.held.clear()
    this.forget()
  }

  private forget(): void {
    this.queue.length = 0
    this.first = 0
    this.bytes = 0
  }

  private flush(): void {
    for (let entry = this.queue[this.first]; entry !== undefined; entry = this.queue[this.first]) {
      if ('event' in entry) {
        this.bytes -= weightOf(entry.event)
        if (entry.owner?.isDropped !== true) this.forward(entry.event)
        this.first += 1
        continue
      }
      if (entry.out === undefined) return this.trim()
      const size = interleavedFrom(this.queue, this.first)
      if (size > 1 && !this.releaseTogether(this.queue.slice(this.first, this.first + size)))
        return this.trim()
      if (size === 1) this.release(entry, entry.out)
      this.first += size
    }
    this.forget()
    if (this.isEnding && !this.isOver) {
      this.isOver = true
      this.out.ended()
    }
  }

  /** Blocks of several answers that came at once leave as they came, if all pass. */
  private releaseTogether(entries: readonly Entry[]): boolean {
    if (!entries.every(isDecided)) return false
    for (const event of mergeEntries(entries)) this.forward(event)
    for (const entry of entries) {
      this.bytes -= 'event' in entry ? weightOf(entry.event) : entry.bytes
      if (!('event' in entry)) this.held.delete(entry.info)
    }
    return true
  }

  private release(one: Held, events: readonly StreamEvent[]): void {
    this.bytes -= one.bytes
    this.held.delete(one.info)
    for (const event of events) this.forward(event)
  }

  private trim(): void {
    if (this.first < MAX_LEFT || this.first * 2 < this.queue.length) return
    this.queue.splice(0, this.first)
    this.first = 0
  }

  /** The upstream broke off: what is held is not whole, or of an answer that is none. */
  private fail(event: StreamEvent): void {
    this.drop()
    this.isOver = true
    this.out.send(event)
  }

  private take(one: Held, event: StreamEvent): void {
    if (one.growing.block.isComplete) this.wait(event, one)
    else if (event.type === 'block-delta') this.grow(one, event)
    else if (event.type === 'block-stop') this.stop(one, event)
    else this.keep(one, event)
  }
}
