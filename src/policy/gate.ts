/**
 * Blocks wait for a verdict: nothing of one leaves before it, and what comes behind waits in order. Neighbours:
 * `judging.ts` asks the policy, `carry-out.ts` says what leaves instead, `engine.ts` has the gates in a row. Knows no wire.
 */
import { createJsonScanner, type JsonScanner } from '../base/json-scanner.ts'
import { SluiceError } from '../base/sluice-error.ts'
import { createGrowingBlock, type GrowingBlock } from '../block/growing-block.ts'
import type { BlockInfo, BlockOf } from '../event/block.ts'
import type { EventOf, StreamEvent } from '../event/event.ts'
import { carryOut } from './carry-out.ts'
import type { Context } from './context.ts'
import { createEnding } from './ending.ts'
import type { PolicyHost } from './host.ts'
import { createJudging, toRecord, type Judged } from './judging.ts'
import { noticeBlock, toHaltNotice } from './notice.ts'
import type { HeldType, Installed } from './policy.ts'
import type { PolicyStage, StageOut } from './stage.ts'
import { deny } from './verdict.ts'

/** A block that waits. */
interface Held {
  readonly info: BlockInfo
  readonly growing: GrowingBlock
  /** As they came; `undefined` once they have left or will not. */
  events: StreamEvent[]
  /** What leaves; `undefined` while that is not known. */
  out: readonly StreamEvent[] | undefined
  isDropped: boolean
  cancel: (() => void) | undefined
  early: Early | undefined
}

/** A judgment that began as soon as the arguments were whole. */
interface Early {
  readonly scanner: JsonScanner
  text: string | undefined
  judged: Judged | undefined
  onJudged: ((judged: Judged) => void) | undefined
}

type Entry = Held | { readonly event: StreamEvent; readonly owner: Held | undefined }

/** Calls of one choice. */
interface Calls {
  left: number
  dropped: number
  made: number
}

const MAX_HELD_CHARS = 32 * 1024 * 1024

export interface GateOptions {
  readonly installed: Installed
  readonly host: PolicyHost
  readonly context: Context
}

export function createGate({ installed, host, context }: GateOptions, out: StageOut): PolicyStage {
  const { policy } = installed
  const holds: ReadonlySet<string> = new Set<HeldType>(policy.holds ?? ['tool-call'])
  const judging = createJudging(installed, host, context)
  const ending = createEnding()
  const held = new Map<BlockInfo, Held>()
  const queue: Entry[] = []
  let first = 0
  let chars = 0
  let isEnding = false
  let isOver = false
  const calls: Calls = { left: 0, dropped: 0, made: 0 }
  let otherCalls: Map<number, Calls> | undefined

  function callsOf(choice: number | undefined): Calls {
    if (choice === undefined || choice === 0) return calls
    otherCalls ??= new Map()
    let found = otherCalls.get(choice)
    if (found === undefined) otherCalls.set(choice, (found = { left: 0, dropped: 0, made: 0 }))
    return found
  }

  function forward(event: StreamEvent): void {
    ending.note(event)
    if (event.type === 'block-start' && event.block.type === 'tool-call')
      callsOf(event.choice).left += 1
    out.send(event.type === 'finish' ? finishOf(event) : event)
  }

  /** An answer whose calls were all denied asks for nothing any more. What says that it was cut short stays. */
  function finishOf(event: EventOf<'finish'>): StreamEvent {
    const { left, dropped, made } = callsOf(event.choice)
    const reason =
      event.reason === 'tool-calls' && dropped > 0 && left === 0
        ? 'stop'
        : event.reason === 'stop' && made > 0 && left > 0
          ? 'tool-calls'
          : event.reason
    if (reason === event.reason) return event
    return {
      type: 'finish',
      reason,
      ...(event.choice === undefined ? {} : { choice: event.choice }),
    }
  }

  function hold(event: EventOf<'block-start'>): void {
    const info = event.block
    const one: Held = {
      info,
      growing: createGrowingBlock(info),
      events: [event],
      out: undefined,
      isDropped: false,
      cancel: undefined,
      early: isEager(info) ? newEarly() : undefined,
    }
    held.set(info, one)
    queue.push(one)
  }

  const isEager = (info: BlockInfo): boolean =>
    policy.isEager === true && info.type === 'tool-call' && info.dialect !== 'custom'

  function grow(one: Held, event: EventOf<'block-delta'>): void {
    one.events.push(event)
    one.growing.grow(event.delta)
    if (!('text' in event.delta)) return
    chars += event.delta.text.length
    if (chars > MAX_HELD_CHARS)
      throw new SluiceError(
        'message-too-large',
        `Cannot hold more than ${MAX_HELD_CHARS} characters for policy "${policy.name}"`,
      )
    const { early } = one
    if (early !== undefined && early.text === undefined && early.scanner.feed(event.delta.text))
      beginEarly(one, early)
  }

  function beginEarly(one: Held, early: Early): void {
    const text = argumentsOf(one)
    const copy = createGrowingBlock(one.info)
    copy.grow({ type: 'arguments', text })
    copy.complete(undefined)
    early.text = text
    one.cancel = judging.judge(copy.block as BlockOf<HeldType>, (judged) => {
      early.judged = judged
      early.onJudged?.(judged)
    })
  }

  function stop(one: Held, event: EventOf<'block-stop'>): void {
    one.events.push(event)
    one.growing.complete(event.vendor, event.isCut)
    const { early } = one
    if (early?.text !== undefined && early.text.trim() === argumentsOf(one).trim()) {
      if (early.judged !== undefined) return settle(one, early.judged)
      early.onJudged = (judged) => settle(one, judged)
      return
    }
    one.cancel?.()
    const cancel = judging.judge(one.growing.block as BlockOf<HeldType>, (judged) =>
      settle(one, judged),
    )
    if (one.out === undefined) one.cancel = cancel
  }

  function settle(one: Held, judged: Judged): void {
    if (isOver || one.out !== undefined) return
    const block = one.growing.block as BlockOf<HeldType>
    const halted = one.info.type === 'tool-call' ? host.haltedBy() : undefined
    const verdict = halted === undefined ? judged.verdict : deny(halted)
    if (verdict.type === 'halt') {
      host.onVerdict(toRecord(installed, judged, { block, delivered: undefined }))
      return haltAt(one, verdict.reason)
    }
    const outcome = carryOut(verdict, block, host)
    host.onVerdict(
      toRecord(installed, { ...judged, verdict }, { block, delivered: outcome.delivered }),
    )
    one.isDropped = outcome.events !== undefined
    one.out = outcome.events === undefined ? one.events : [...outcome.events, ...othersIn(one)]
    one.events = []
    if (one.isDropped && one.info.type === 'tool-call') callsOf(one.info.choice).dropped += 1
    callsOf(one.info.choice).made += outcome.made
    flush()
  }

  /** What stands before it leaves as far as it may, and nothing behind it. */
  function haltAt(one: Held, reason: string): void {
    one.out = []
    one.isDropped = true
    flush()
    close(noticeBlock(toHaltNotice(reason), undefined))
  }

  function close(last: readonly StreamEvent[]): void {
    if (isOver) return
    isOver = true
    drop()
    ending.close(last, (event) => out.send(event))
    out.halt()
  }

  /** Nobody waits for what is still held. */
  function drop(): void {
    for (const one of held.values()) if (one.out === undefined) one.cancel?.()
    held.clear()
    queue.length = 0
    first = 0
  }

  function flush(): void {
    while (first < queue.length) {
      const entry = queue[first]
      if (entry === undefined) break
      if ('event' in entry) {
        if (entry.owner?.isDropped !== true) forward(entry.event)
      } else if (entry.out === undefined) return
      else {
        for (const event of entry.out) forward(event)
        if (!entry.isDropped) held.delete(entry.info)
      }
      first += 1
    }
    queue.length = 0
    first = 0
    if (isEnding && !isOver) {
      isOver = true
      out.ended()
    }
  }

  /** The upstream broke off: what is held is not whole, or of an answer that is none. */
  function fail(event: StreamEvent): void {
    drop()
    isOver = true
    out.send(event)
  }

  return {
    push(event) {
      if (isOver) return
      if (event.type === 'error') return fail(event)
      const info = 'block' in event ? event.block : undefined
      if (info !== undefined) {
        const one = held.size === 0 ? undefined : held.get(info)
        if (one?.growing.block.isComplete === false) {
          if (event.type === 'block-delta') grow(one, event)
          else if (event.type === 'block-stop') stop(one, event)
          else one.events.push(event)
          return
        }
        // What belongs to a block that was denied has no place any more, whenever it comes.
        if (one?.isDropped === true) return
        if (one !== undefined) {
          queue.push({ event, owner: one })
          return
        }
        if (event.type === 'block-start' && holds.has(info.type)) return hold(event)
      }
      if (queue.length === 0) return forward(event)
      const last = queue[queue.length - 1]
      // What comes in the middle of a block and is none of it leaves there too.
      if (info === undefined && last !== undefined && 'growing' in last && isInside(event, last))
        last.events.push(event)
      else queue.push({ event, owner: undefined })
    },
    end() {
      isEnding = true
      // Blocks that never stopped are not whole: there is nothing to judge.
      for (const one of held.values())
        if (one.out === undefined && !one.growing.block.isComplete) {
          one.isDropped = true
          one.out = []
        }
      if (isOver) out.ended()
      else flush()
    },
    passes: (block) => queue.length === 0 && !holds.has(block.type) && !isOver,
    leave() {
      isOver = true
      drop()
    },
  }
}

const isInside = ({ type }: StreamEvent, { growing: { block } }: Held): boolean =>
  !block.isComplete && (type === 'ping' || type === 'other' || type === 'usage')

const othersIn = ({ events, info }: Held): readonly StreamEvent[] =>
  events.filter((event) => !('block' in event) || event.block !== info)

const argumentsOf = ({ growing: { block } }: Held): string =>
  block.type === 'tool-call' ? block.arguments : ''

const newEarly = (): Early => ({
  scanner: createJsonScanner(),
  text: undefined,
  judged: undefined,
  onJudged: undefined,
})
