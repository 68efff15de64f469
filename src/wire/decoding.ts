/**
 * What all decoders share: steps, and events in the order of blocks. A wire may open a block while
 * another is still growing; policies never see that. Events of the second block wait here until the
 * first is over, and come out behind it. Neighbours: each wire's `decode.ts` puts events in.
 * Knows no vendor.
 */
import { append, FewList, NOTHING } from '../base/few.ts'
import type { BlockInfo } from '../event/block.ts'
import type { Step, StreamEvent, WireName } from '../event/event.ts'
import type { StreamFault } from '../event/fault.ts'
import { createFrame, type Frame } from '../sse/frame.ts'

export interface OpenStep extends Step {
  events: StreamEvent[]
  late: Step['late']
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
  waiting: Map<BlockInfo, StreamEvent[]> | undefined
  /** Those blocks, and how many have had their turn. */
  order: BlockInfo[]
  next: number
}

const NONE: ReadonlySet<number> = new Set()

const newLine = (): Line => ({ open: undefined, waiting: undefined, order: NOTHING, next: 0 })

export const createDecoding = (wire: WireName): Decoding => new Lines(wire)

/** A class, and not functions around what they share: every answer has one or two, for as long as it takes. */
class Lines implements Decoding {
  private readonly wire: WireName
  private number = 0
  private readonly out = new FewList<StreamEvent>()
  private current: OpenStep | undefined
  private readonly first: Line = newLine()
  private others: Map<number, Line> | undefined
  private late: Set<number> | undefined

  constructor(wire: WireName) {
    this.wire = wire
  }

  begin(frame?: Frame): OpenStep {
    this.current = {
      wire: this.wire,
      number: this.number++,
      frame: frame ?? createFrame(undefined, undefined),
      events: NOTHING,
      // Whoever is late was so before this step began: one without needs no list of its own.
      late: this.late ?? NONE,
    }
    return this.current
  }

  emit(event: StreamEvent & { step: OpenStep }): void {
    const { step } = event
    step.events = append(step.events, event)
    const { first } = this
    // Nearly all events are these: a piece of the block that is open.
    if (event.type === 'block-delta' && event.choice === undefined && event.block === first.open) {
      this.out.push(event)
      return
    }
    const line = event.choice === undefined ? first : this.lineOf(event.choice)
    const block = 'block' in event ? event.block : undefined
    const mustWait =
      block !== undefined &&
      block !== line.open &&
      (line.waiting?.has(block) === true ||
        (line.open !== undefined && event.type === 'block-start'))
    if (mustWait) {
      this.wait(line, block, event)
      return
    }
    this.send(line, event)
    if (event.type === 'block-stop' && line.open === undefined && line.order.length > 0)
      this.release(line)
  }

  hold(step: OpenStep): void {
    this.isLate(step)
  }

  refuse(error: StreamFault): void {
    // What was read from the frame before would take the whole of it along.
    for (const event of this.out.take())
      if (event.step === undefined || event.step !== this.current) this.out.push(event)
    this.out.push({ type: 'error', error })
  }

  take(): readonly StreamEvent[] {
    // The next frame may be long in coming, and this one holds what was read with it.
    this.current = undefined
    return this.out.take()
  }

  private lineOf(choice: number): Line {
    if (choice === 0) return this.first
    this.others ??= new Map()
    let line = this.others.get(choice)
    if (line === undefined) this.others.set(choice, (line = newLine()))
    return line
  }

  private wait(line: Line, block: BlockInfo, event: StreamEvent & { step: OpenStep }): void {
    line.waiting ??= new Map()
    const events = line.waiting.get(block)
    if (events === undefined) {
      line.waiting.set(block, [event])
      line.order = append(line.order, block)
    } else events.push(event)
    this.isLate(event.step)
  }

  private isLate(step: OpenStep): void {
    this.late ??= new Set()
    step.late = this.late
    this.late.add(step.number)
  }

  private send(line: Line, event: StreamEvent): void {
    this.out.push(event)
    if (event.type === 'block-start') line.open = event.block
    else if (event.type === 'block-stop' && event.block === line.open) line.open = undefined
  }

  /** No block is open any more: the next that waited has its turn. */
  private release(line: Line): void {
    while (line.open === undefined && line.next < line.order.length) {
      const block = line.order[line.next]
      line.next += 1
      const events = block === undefined ? undefined : line.waiting?.get(block)
      if (block === undefined || events === undefined) continue
      line.waiting?.delete(block)
      for (const event of events) this.send(line, event)
    }
    if (line.next === line.order.length) {
      line.order = NOTHING
      line.next = 0
    }
  }
}
