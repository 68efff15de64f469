/**
 * What all decoders share: steps, and events in the order of blocks. A wire may open a block while
 * another is still growing; policies never see that. Events of the second block wait here until the
 * first is over, and come out behind it. Neighbours: each wire's `decode.ts` puts events in.
 * Knows no vendor.
 */
import type { BlockInfo } from '../event/block.ts'
import type { Step, StreamEvent, WireName } from '../event/event.ts'
import type { StreamFault } from '../event/fault.ts'
import { createFrame, type Frame } from '../sse/frame.ts'

export interface OpenStep extends Step {
  readonly events: StreamEvent[]
}

export interface Decoding {
  /** Begins the step of that frame, or one without bytes for what the end of the input means. */
  begin(frame?: Frame): OpenStep
  /** Says an event of the current step. */
  emit(event: StreamEvent & { step: OpenStep }): void
  /** The current frame speaks of a block that cannot be named yet: its event comes later. */
  hold(step: OpenStep): void
  /**
   * The current frame contradicts what came before, and some client would believe it: an error of ours,
   * without a step, so that the frame itself cannot leave.
   */
  refuse(error: StreamFault): void
  /** What came out since the last time, in order. */
  take(): readonly StreamEvent[]
}

/** What a decoder keeps of each choice. */
interface Line {
  open: BlockInfo | undefined
  /** The events of blocks that opened too early, block by block in the order of their starts. */
  readonly waiting: Map<BlockInfo, StreamEvent[]>
  /** Those blocks, and how many have had their turn. */
  readonly order: BlockInfo[]
  next: number
}

export function createDecoding(wire: WireName): Decoding {
  let number = 0
  let out: StreamEvent[] = []
  let current: OpenStep | undefined
  const first: Line = { open: undefined, waiting: new Map(), order: [], next: 0 }
  const others = new Map<number, Line>()
  const late = new Set<number>()

  function lineOf(choice: number | undefined): Line {
    if (choice === undefined || choice === 0) return first
    let line = others.get(choice)
    if (line === undefined)
      others.set(choice, (line = { open: undefined, waiting: new Map(), order: [], next: 0 }))
    return line
  }

  function wait(line: Line, block: BlockInfo, event: StreamEvent & { step: OpenStep }): void {
    const events = line.waiting.get(block)
    if (events === undefined) {
      line.waiting.set(block, [event])
      line.order.push(block)
    } else events.push(event)
    late.add(event.step.number)
  }

  function send(line: Line, event: StreamEvent): void {
    out.push(event)
    if (event.type === 'block-start') line.open = event.block
    else if (event.type === 'block-stop' && event.block === line.open) line.open = undefined
  }

  /** No block is open any more: the next that waited has its turn. */
  function release(line: Line): void {
    while (line.open === undefined && line.next < line.order.length) {
      const block = line.order[line.next]
      line.next += 1
      const events = block === undefined ? undefined : line.waiting.get(block)
      if (block === undefined || events === undefined) continue
      line.waiting.delete(block)
      for (const event of events) send(line, event)
    }
    if (line.next === line.order.length) {
      line.order.length = 0
      line.next = 0
    }
  }

  function emit(event: StreamEvent & { step: OpenStep }): void {
    event.step.events.push(event)
    // Nearly all events are these: a piece of the block that is open.
    if (event.type === 'block-delta' && event.choice === undefined && event.block === first.open) {
      out.push(event)
      return
    }
    const line = event.choice === undefined ? first : lineOf(event.choice)
    const block = 'block' in event ? event.block : undefined
    const mustWait =
      block !== undefined &&
      block !== line.open &&
      (line.waiting.has(block) || (line.open !== undefined && event.type === 'block-start'))
    if (mustWait) {
      wait(line, block, event)
      return
    }
    send(line, event)
    if (event.type === 'block-stop' && line.open === undefined && line.waiting.size > 0)
      release(line)
  }

  return {
    begin(frame) {
      current = {
        wire,
        number: number++,
        frame: frame ?? createFrame(undefined, undefined),
        events: [],
        late,
      }
      return current
    },
    emit,
    hold(step) {
      late.add(step.number)
    },
    refuse(error) {
      // What was read from the frame before would take the whole of it along.
      out = out.filter(({ step }) => step === undefined || step !== current)
      out.push({ type: 'error', error })
    },
    take() {
      const taken = out
      out = []
      return taken
    },
  }
}
