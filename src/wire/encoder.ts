/**
 * The two modes of every encoder. While each step arrives whole, in order and unchanged, its frame
 * leaves as it came. The first thing that does not fit (an event missing, made, changed or out of
 * place) puts the message into rewritten mode for good: from there the wire's writer says everything
 * in its own words. Neighbours: each wire's `encode.ts` is a `Writer`. Knows no vendor.
 */
import type { Step, StreamEvent, WireName } from '../event/event.ts'
import type { Loss } from '../event/loss.ts'
import type { Written } from '../sse/encode.ts'
import type { Encoder } from './wire.ts'

/** How one wire writes. It keeps its own books in both modes, so that it can take over at any time. */
export interface Writer {
  /** An event left as it came: note what the client has now seen. */
  track(event: StreamEvent): void
  /** Say that event. */
  write(event: StreamEvent, out: Written[]): void
  /** The input is over: end the message, as an error if it had not finished. */
  close(out: Written[]): void
  keepalive(): string
  losses(): readonly Loss[]
}

/** A step of which not all events have come yet, or that stands behind such a one. */
interface Pending {
  readonly step: Step
  readonly got: Set<StreamEvent>
}

const NOTHING: readonly Written[] = []

export function createEncoder(wire: WireName, writer: Writer): Encoder {
  let isVerbatim = true
  let isOver = false
  /** Somebody sent the end of the message, a good one or an error. */
  let isEnded = false
  let nextNumber = 0
  let queue: Pending[] = []
  /** Events that came and whose frames have not left. */
  let waiting: StreamEvent[] = []

  /** Finds the place of an event's step; `undefined` when the event does not come as it was read. */
  function placeOf(event: StreamEvent): Pending | undefined {
    const step = event.step
    if (step === undefined || step.wire !== wire) return undefined
    if (step.number < nextNumber) return queue.find((pending) => pending.step === step)
    for (const late of step.late) {
      if (late.number < nextNumber) continue
      if (late.number !== nextNumber) return undefined
      queue.push({ step: late, got: new Set() })
      nextNumber += 1
    }
    if (step.number !== nextNumber) return undefined
    nextNumber += 1
    const pending = { step, got: new Set<StreamEvent>() }
    queue.push(pending)
    return pending
  }

  function pass(event: StreamEvent, out: Written[]): boolean {
    const pending = placeOf(event)
    if (pending === undefined || pending.got.has(event) || !pending.step.events.includes(event)) return false
    pending.got.add(event)
    waiting.push(event)
    let left = 0
    for (const { step, got } of queue) {
      if (got.size < step.events.length) break
      left += 1
      for (const passed of step.events) writer.track(passed)
      if (step.frame.raw.length > 0) out.push(step.frame.raw)
    }
    if (left > 0) {
      queue = queue.slice(left)
      waiting = queue.length === 0 ? [] : waiting.filter(({ step }) => queue.some((one) => one.step === step))
    }
    return true
  }

  function rewrite(out: Written[]): void {
    isVerbatim = false
    const held = waiting
    queue = []
    waiting = []
    for (const event of held) writer.write(event, out)
  }

  return {
    push(event) {
      if (event.type === 'message-stop' || event.type === 'error') isEnded = true
      const out: Written[] = []
      if (isVerbatim) {
        const step = event.step
        // The common case, cut short: a frame with one event, in its turn, with nothing before it.
        if (
          queue.length === 0 &&
          step !== undefined &&
          step.wire === wire &&
          step.number === nextNumber &&
          step.events.length === 1 &&
          step.events[0] === event &&
          step.late.length === 0
        ) {
          nextNumber += 1
          writer.track(event)
          return step.frame.isEmpty ? NOTHING : [step.frame.raw]
        }
        if (pass(event, out)) return out
        rewrite(out)
      }
      writer.write(event, out)
      return out
    },
    flush() {
      if (!isVerbatim || waiting.length === 0) return NOTHING
      const out: Written[] = []
      rewrite(out)
      return out
    },
    end() {
      if (isOver) return NOTHING
      isOver = true
      const out: Written[] = []
      if (isVerbatim && queue.length > 0) rewrite(out)
      if (!isVerbatim || !isEnded) writer.close(out)
      return out
    },
    keepalive: () => [writer.keepalive()],
    get isVerbatim() {
      return isVerbatim
    },
    losses: () => writer.losses(),
  }
}
