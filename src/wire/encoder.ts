/**
 * The two modes of every encoder. While each step arrives whole, in order and unchanged, its frame
 * leaves as it came. The first thing that does not fit (an event missing, made, changed or out of
 * place) puts the message into rewritten mode for good: from there the wire's writer says everything
 * in its own words. Neighbours: each wire's `encode.ts` is a `Writer`. Knows no vendor.
 */
import { FewList, FewMap, FewSet } from '../base/few.ts'
import type { Step, StreamEvent, WireName } from '../event/event.ts'
import type { StreamFault } from '../event/fault.ts'
import type { Loss, LossList } from '../event/loss.ts'
import type { Written } from '../sse/encode.ts'
import { named } from './guard.ts'
import type { Encoder, Terminal } from './wire.ts'

/** Where frames go that are written. */
export interface Frames {
  push(frame: Written): void
}

/** Of a writer that has not been asked yet. */
export const NOWHERE: Frames = { push() {} }

/** How one wire writes. It keeps its own books in both modes, so that it can take over at any time. */
export interface Writer {
  /** An event left as it came: note what the client has now seen. */
  track(event: StreamEvent): void
  /** Say that event. */
  write(event: StreamEvent, out: Frames): void
  /** The input is over: end the message, as an error if it had not finished. */
  close(out: Frames): void
  /** `asEvent`: in a form that clients count as an event, where the wire has one. */
  keepalive(asEvent: boolean): string
  terminal?(): Terminal | undefined
  /** So many more frames have left, like the last one. */
  skip?(frames: number): void
  readonly losses: LossList
  /** The error that was written, if any. */
  readonly fault: StreamFault | undefined
}

/** A step whose frame has not left: not all of its events have come, or it stands behind such a one. */
interface Pending {
  step: Step | undefined
  /** Its events that are still to come; all of them until the first has come. */
  left: Set<StreamEvent> | undefined
}

const NOTHING: readonly Written[] = []

export const createEncoder = (wire: WireName, writer: Writer): Encoder => new Modes(wire, writer)

/** A class, and not functions around what they share: every answer that is read has one, for as long as it takes. */
class Modes implements Encoder {
  isVerbatim = true
  fault: StreamFault | undefined
  private readonly wire: WireName
  private readonly writer: Writer
  private isEnded = false
  private isOver = false
  private nextNumber = 0
  private firstNumber = 0
  /** Steps by number, from the first that has not left. */
  private readonly queue = new FewMap<number, Pending>()
  /** Events that came and whose frames have not left, in the order in which they came. */
  private readonly waiting = new FewSet<StreamEvent>()
  /** What the event that came last has become. */
  private readonly out = new FewList<Written>()

  constructor(wire: WireName, writer: Writer) {
    this.wire = wire
    this.writer = writer
  }

  // Both work without their object, as those of all stages do.
  readonly push = (event: StreamEvent): readonly Written[] => {
    if (event.type === 'message-stop') this.isEnded = true
    if (event.type === 'error') {
      this.isEnded = true
      this.fault ??= event.error
    }
    if (this.isVerbatim) {
      const { step } = event
      // The common case, cut short: a frame with one event, in its turn, with nothing before it.
      if (
        this.queue.size === 0 &&
        step !== undefined &&
        step.wire === this.wire &&
        step.number === this.nextNumber &&
        step.events.length === 1 &&
        step.events[0] === event
      ) {
        this.nextNumber += 1
        this.firstNumber = this.nextNumber
        this.writer.track(event)
        return step.frame.isEmpty ? NOTHING : [step.frame.raw]
      }
    }
    const { out } = this
    try {
      if (this.isVerbatim) {
        if (this.pass(event, out)) return out.take()
        this.rewrite(out)
      }
      this.writer.write(event, out)
      this.fault ??= this.writer.fault
    } catch (error) {
      out.take()
      throw named(error)
    }
    return out.take()
  }

  flush(): readonly Written[] {
    if (!this.isVerbatim || this.queue.size === 0) return NOTHING
    this.rewrite(this.out)
    return this.out.take()
  }

  readonly end = (): readonly Written[] => {
    if (this.isOver) return NOTHING
    this.isOver = true
    const { out } = this
    if (this.isVerbatim && this.queue.size > 0) this.rewrite(out)
    if (!this.isVerbatim || !this.isEnded) this.writer.close(out)
    this.fault ??= this.writer.fault
    return out.take()
  }

  keepalive(asEvent = false): readonly Written[] {
    return [this.writer.keepalive(asEvent)]
  }

  skip(frames: number): void {
    this.writer.skip?.(frames)
  }

  terminal(): Terminal | undefined {
    return this.writer.terminal?.()
  }

  losses(): readonly Loss[] {
    return this.writer.losses.list()
  }

  /** Finds the place of an event's step; `undefined` when the event does not come as it was read. */
  private placeOf(event: StreamEvent): Pending | undefined {
    const step = event.step
    if (step === undefined || step.wire !== this.wire) return undefined
    for (; this.nextNumber < step.number; this.nextNumber++) {
      // A step was passed over. Its events may come late; if not, somebody left them out.
      if (!step.late.has(this.nextNumber)) return undefined
      this.queue.set(this.nextNumber, { step: undefined, left: undefined })
    }
    if (step.number === this.nextNumber) {
      this.queue.set(this.nextNumber, { step, left: undefined })
      this.nextNumber += 1
    }
    const pending = this.queue.get(step.number)
    if (pending !== undefined) pending.step ??= step
    return pending
  }

  private pass(event: StreamEvent, out: Frames): boolean {
    const pending = this.placeOf(event)
    if (pending?.step === undefined) return false
    // A changed copy may still name the step; only the event that was read is the event.
    pending.left ??= new Set(pending.step.events)
    if (!pending.left.delete(event)) return false
    this.waiting.add(event)
    // By number, not by walking the map: one that is emptied from the front is slow to walk.
    for (
      let first = this.queue.get(this.firstNumber);
      first?.left?.size === 0;
      first = this.queue.get(this.firstNumber)
    ) {
      this.queue.delete(this.firstNumber)
      this.firstNumber += 1
      this.writeStep(first.step, out)
    }
    return true
  }

  private writeStep(step: Step | undefined, out: Frames): void {
    for (const passed of step?.events ?? []) {
      this.waiting.delete(passed)
      this.writer.track(passed)
    }
    if (step?.frame.isEmpty === false) out.push(step.frame.raw)
  }

  private rewrite(out: Frames): void {
    this.isVerbatim = false
    const held = this.waiting.keys()
    this.queue.clear()
    this.waiting.clear()
    for (const event of held) this.writer.write(event, out)
  }
}
