/**
 * The two modes of every encoder. While each step arrives whole, in order and unchanged, its frame
 * leaves as it came. The first thing that does not fit (an event missing, made, changed or out of
 * place) puts the message into rewritten mode for good: from there the wire's writer says everything
 * in its own words. Neighbours: each wire's `encode.ts` is a `Writer`. Knows no vendor.
 */
import type { JsonObject } from '../base/json.ts'
import type { Step, StreamEvent, WireName } from '../event/event.ts'
import type { StreamFault } from '../event/fault.ts'
import type { Loss } from '../event/loss.ts'
import type { Written } from '../sse/encode.ts'
import { named } from './guard.ts'
import type { Encoder } from './wire.ts'

/** How one wire writes. It keeps its own books in both modes, so that it can take over at any time. */
export interface Writer {
  /** An event left as it came: note what the client has now seen. */
  track(event: StreamEvent): void
  /** Say that event. */
  write(event: StreamEvent, out: Written[]): void
  /** The input is over: end the message, as an error if it had not finished. */
  close(out: Written[]): void
  /** `asEvent`: in a form that clients count as an event, where the wire has one. */
  keepalive(asEvent: boolean): string
  terminal?(): JsonObject | undefined
  /** So many more frames have left, like the last one. */
  skip?(frames: number): void
  losses(): readonly Loss[]
  /** The error that was written, if any. */
  fault(): StreamFault | undefined
}

/** A step whose frame has not left: not all of its events have come, or it stands behind such a one. */
interface Pending {
  step: Step | undefined
  /** Its events that are still to come; all of them until the first has come. */
  left: Set<StreamEvent> | undefined
}

const NOTHING: readonly Written[] = []

export function createEncoder(wire: WireName, writer: Writer): Encoder {
  let isEnded = false
  let isOver = false
  let nextNumber = 0
  let firstNumber = 0
  /** Steps by number, from the first that has not left. */
  const queue = new Map<number, Pending>()
  /** Events that came and whose frames have not left, in the order in which they came. */
  const waiting = new Set<StreamEvent>()

  /** Finds the place of an event's step; `undefined` when the event does not come as it was read. */
  function placeOf(event: StreamEvent): Pending | undefined {
    const step = event.step
    if (step === undefined || step.wire !== wire) return undefined
    for (; nextNumber < step.number; nextNumber++) {
      // A step was passed over. Its events may come late; if not, somebody left them out.
      if (!step.late.has(nextNumber)) return undefined
      queue.set(nextNumber, { step: undefined, left: undefined })
    }
    if (step.number === nextNumber) {
      queue.set(nextNumber, { step, left: undefined })
      nextNumber += 1
    }
    const pending = queue.get(step.number)
    if (pending !== undefined) pending.step ??= step
    return pending
  }

  function pass(event: StreamEvent, out: Written[]): boolean {
    const pending = placeOf(event)
    if (pending?.step === undefined) return false
    // A changed copy may still name the step; only the event that was read is the event.
    pending.left ??= new Set(pending.step.events)
    if (!pending.left.delete(event)) return false
    waiting.add(event)
    // By number, not by walking the map: one that is emptied from the front is slow to walk.
    for (
      let first = queue.get(firstNumber);
      first?.left?.size === 0;
      first = queue.get(firstNumber)
    ) {
      queue.delete(firstNumber)
      firstNumber += 1
      writeStep(first.step, out)
    }
    return true
  }

  function writeStep(step: Step | undefined, out: Written[]): void {
    for (const passed of step?.events ?? []) {
      waiting.delete(passed)
      writer.track(passed)
    }
    if (step?.frame.isEmpty === false) out.push(step.frame.raw)
  }

  function rewrite(out: Written[]): void {
    encoder.isVerbatim = false
    const held = [...waiting]
    queue.clear()
    waiting.clear()
    for (const event of held) writer.write(event, out)
  }

  // Fields and not getters: what a getter in a literal costs stands in `base/bag.ts`.
  const encoder: { -readonly [Key in keyof Encoder]: Encoder[Key] } = {
    isVerbatim: true,
    fault: undefined,
    push(event) {
      if (event.type === 'message-stop') isEnded = true
      if (event.type === 'error') {
        isEnded = true
        encoder.fault ??= event.error
      }
      if (encoder.isVerbatim) {
        const { step } = event
        // The common case, cut short: a frame with one event, in its turn, with nothing before it.
        if (
          queue.size === 0 &&
          step !== undefined &&
          step.wire === wire &&
          step.number === nextNumber &&
          step.events.length === 1 &&
          step.events[0] === event
        ) {
          nextNumber += 1
          firstNumber = nextNumber
          writer.track(event)
          return step.frame.isEmpty ? NOTHING : [step.frame.raw]
        }
      }
      const out: Written[] = []
      try {
        if (encoder.isVerbatim) {
          if (pass(event, out)) return out
          rewrite(out)
        }
        writer.write(event, out)
        encoder.fault ??= writer.fault()
      } catch (error) {
        throw named(error)
      }
      return out
    },
    flush() {
      if (!encoder.isVerbatim || queue.size === 0) return NOTHING
      const out: Written[] = []
      rewrite(out)
      return out
    },
    end() {
      if (isOver) return NOTHING
      isOver = true
      const out: Written[] = []
      if (encoder.isVerbatim && queue.size > 0) rewrite(out)
      if (!encoder.isVerbatim || !isEnded) writer.close(out)
      encoder.fault ??= writer.fault()
      return out
    },
    keepalive: (asEvent = false) => [writer.keepalive(asEvent)],
    skip: (frames) => writer.skip?.(frames),
    terminal: () => writer.terminal?.(),
    losses: () => writer.losses(),
  }
  return encoder
}
