/**
 * Blocks wait for a verdict: nothing of one leaves before it, and what comes behind waits in order. Neighbours:
 * `judging.ts` asks the policy, `carry-out.ts` says what leaves instead, `engine.ts` has the gates in a row. Knows no wire.
 */
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
import { createJudging, toRecord, type Judged } from './judging.ts'
import { noticeBlock, toHaltNotice } from './notice.ts'
import type { HeldType, Installed, VerdictRecord } from './policy.ts'
import type { PolicyStage, StageOut } from './stage.ts'
import { deny } from './verdict.ts'
import { MAX_HELD_BYTES, tooMuch, weightOf } from './weight.ts'
import { createWhatIsLeft } from './what-is-left.ts'

/** So many that have left are forgotten at once: those behind them may wait for long. */
const MAX_LEFT = 1024

export interface GateOptions {
  readonly installed: Installed
  readonly host: PolicyHost
  readonly context: Context
  /** The most that may wait. */
  readonly maxBytes?: number
}

export function createGate(options: GateOptions, out: StageOut): PolicyStage {
  const { installed, host, context, maxBytes = MAX_HELD_BYTES } = options
  const { policy } = installed
  const holds: ReadonlySet<string> = new Set<HeldType>(policy.holds ?? ['tool-call'])
  const judging = createJudging({ installed, host, context, crashed: (error) => out.fail(error) })
  const ending = createEnding()
  const left = createWhatIsLeft()
  const held = new Map<BlockInfo, Held>()
  /** Blocks that will not leave: what still comes of them has no place. */
  let gone: WeakSet<BlockInfo> | undefined
  const queue: Entry[] = []
  let first = 0
  /** What all that waits weighs. */
  let bytes = 0
  let isEnding = false
  let isOver = false

  function forward(event: StreamEvent): void {
    if (event.type === 'finish') for (const one of left.finishOf(event)) send(one)
    else send(event)
  }

  function send(event: StreamEvent): void {
    ending.note(event)
    if (event.type === 'block-start') left.leaves(event.block)
    out.send(event)
  }

  function hold(event: EventOf<'block-start'>): void {
    const one = createHeld(event, policy.isEager === true)
    held.set(one.info, one)
    queue.push(one)
    keep(one, event)
  }

  function keep(one: Held, event: StreamEvent): void {
    one.events.push(event)
    one.bytes += weigh(event)
  }

  function wait(event: StreamEvent, owner: Held | undefined): void {
    queue.push({ event, owner })
    weigh(event)
  }

  /** Whoever decides may take for ever, and the upstream does not wait. */
  function weigh(event: StreamEvent): number {
    const weight = weightOf(event)
    bytes += weight
    if (bytes > maxBytes) throw tooMuch(maxBytes, `policy "${policy.name}"`)
    return weight
  }

  function grow(one: Held, event: EventOf<'block-delta'>): void {
    keep(one, event)
    one.growing.grow(event.delta)
    const { early } = one
    if (early === undefined || early.text !== undefined || !('text' in event.delta)) return
    if (early.scanner.feed(event.delta.text)) beginEarly(one, early)
  }

  function beginEarly(one: Held, early: Early): void {
    early.text = argumentsOf(one)
    one.cancel = judging.judge(wholeCopy(one, early.text), (judged) => {
      early.judged = judged
      early.onJudged?.(judged)
    })
  }

  function stop(one: Held, event: EventOf<'block-stop'>): void {
    keep(one, event)
    one.growing.complete(event.vendor, event.isCut)
    const { early } = one
    if (early?.text !== undefined && early.text.trim() === argumentsOf(one).trim()) {
      if (early.judged !== undefined) return settle(one, early.judged)
      early.onJudged = (judged) => settle(one, judged)
      return
    }
    one.cancel?.()
    one.cancel = undefined
    const cancel = judging.judge(blockOf(one), (judged) => settle(one, judged))
    if (one.out === undefined) one.cancel = cancel
  }

  function settle(one: Held, judged: Judged): void {
    if (isOver || one.out !== undefined) return
    const block = blockOf(one)
    const halted = one.info.type === 'tool-call' ? host.haltedBy() : undefined
    const verdict = halted === undefined ? judged.verdict : deny(halted)
    if (verdict.type === 'halt') {
      host.onVerdict(toRecord(installed, judged, { block, delivered: undefined }))
      return haltAt(one, verdict.reason)
    }
    const outcome = carryOut(verdict, block, host)
    host.onVerdict(recordOf(one, { ...judged, verdict }, outcome))
    if (outcome.events === undefined) one.out = one.events
    else {
      one.out = [...outcome.events, ...othersIn(one)]
      loseBlock(one)
      left.dropped(one.info, outcome.made)
    }
    one.events = []
    flush()
  }

  function recordOf(one: Held, judged: Judged, { delivered, problem }: Outcome): VerdictRecord {
    const record = toRecord(installed, judged, { block: blockOf(one), delivered })
    return problem === undefined ? record : { ...record, type: 'error', reason: problem }
  }

  function loseBlock(one: Held): void {
    one.isDropped = true
    gone ??= new WeakSet()
    gone.add(one.info)
    held.delete(one.info)
  }

  /** What stands before it leaves as far as it may, and nothing behind it. */
  function haltAt(one: Held, reason: string): void {
    queue.length = queue.indexOf(one, first)
    isEnding = false
    flush()
    if (isOver) return
    isOver = true
    drop()
    ending.close(noticeBlock(toHaltNotice(reason), undefined), (event) => out.send(event))
    out.halt()
  }

  /** Nobody waits for what is still held. */
  function drop(): void {
    for (const one of held.values()) if (one.out === undefined) one.cancel?.()
    held.clear()
    forget()
  }

  function forget(): void {
    queue.length = 0
    first = 0
    bytes = 0
  }

  function flush(): void {
    for (let entry = queue[first]; entry !== undefined; entry = queue[first]) {
      if ('event' in entry) {
        bytes -= weightOf(entry.event)
        if (entry.owner?.isDropped !== true) forward(entry.event)
        first += 1
        continue
      }
      if (entry.out === undefined) return trim()
      const size = interleavedFrom(queue, first)
      if (size > 1 && !releaseTogether(queue.slice(first, first + size))) return trim()
      if (size === 1) release(entry, entry.out)
      first += size
    }
    forget()
    if (isEnding && !isOver) {
      isOver = true
      out.ended()
    }
  }

  /** Blocks of several answers that came at once leave as they came, if all pass. */
  function releaseTogether(entries: readonly Entry[]): boolean {
    if (!entries.every(isDecided)) return false
    for (const event of mergeEntries(entries)) forward(event)
    for (const entry of entries) {
      bytes -= 'event' in entry ? weightOf(entry.event) : entry.bytes
      if (!('event' in entry)) held.delete(entry.info)
    }
    return true
  }

  function release(one: Held, events: readonly StreamEvent[]): void {
    bytes -= one.bytes
    held.delete(one.info)
    for (const event of events) forward(event)
  }

  function trim(): void {
    if (first < MAX_LEFT || first * 2 < queue.length) return
    queue.splice(0, first)
    first = 0
  }

  /** The upstream broke off: what is held is not whole, or of an answer that is none. */
  function fail(event: StreamEvent): void {
    drop()
    isOver = true
    out.send(event)
  }

  function take(one: Held, event: StreamEvent): void {
    if (one.growing.block.isComplete) wait(event, one)
    else if (event.type === 'block-delta') grow(one, event)
    else if (event.type === 'block-stop') stop(one, event)
    else keep(one, event)
  }

  return {
    push(event) {
      if (isOver) return
      if (event.type === 'error') return fail(event)
      const info = 'block' in event ? event.block : undefined
      if (info !== undefined) {
        const one = held.size === 0 ? undefined : held.get(info)
        if (one !== undefined) return take(one, event)
        if (gone?.has(info) === true) return
        if (event.type === 'block-start' && holds.has(info.type)) return hold(event)
      }
      if (queue.length === 0) return forward(event)
      const last = queue[queue.length - 1]
      // What comes in the middle of a block and is none of it leaves there too.
      if (info === undefined && last !== undefined && 'growing' in last && isInside(event, last))
        keep(last, event)
      else wait(event, undefined)
    },
    end() {
      isEnding = true
      // Blocks that never stopped are not whole: there is nothing to judge.
      for (const one of held.values())
        if (!one.growing.block.isComplete) {
          one.cancel?.()
          one.out = []
          loseBlock(one)
        }
      if (isOver) out.ended()
      else flush()
    },
    gathers(block) {
      const one = held.get(block)
      return one?.growing.block.isComplete === false && one.early === undefined
    },
    passes: (block) => queue.length === 0 && !holds.has(block.type) && !isOver,
    leave() {
      isOver = true
      drop()
    },
  }
}
