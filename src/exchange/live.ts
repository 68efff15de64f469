/**
 * A stream that is read: frames of the upstream's wire in, frames of the client's out, in one loop per buffer and one
 * write. Between the two stands what has to be undone of a translation, and whoever acts. Neighbours: `relay.ts` is the
 * way for what nobody reads, `made.ts` for an answer that came whole; `run.ts` carries what is alike without reading it;
 * `policy/engine.ts` is whoever acts. No promise, no timer and no closure per chunk.
 */
import type { EventOf, StreamEvent } from '../event/event.ts'
import type { StreamFault } from '../event/fault.ts'
import { createFrameDecoder } from '../sse/decode.ts'
import { Frame } from '../sse/frame.ts'
import type { Written } from '../sse/encode.ts'
import type { Engine, EngineOut } from '../policy/engine.ts'
import type { AnswerStage } from '../translate/answer-stage.ts'
import { randomId } from '../wire/ids.ts'
import { createAnswerOut, type AnswerOutOptions, type Delivered } from './answer-out.ts'
import type { Live } from './attempted.ts'
import { toActedFault } from './fault-status.ts'
import { createHeartbeat, type HeartbeatOptions } from './heartbeat.ts'
import type { OnHalt } from './relay.ts'
import { findForm, frameEnd } from './known-forms.ts'
import { readOwnForm, Run } from './run.ts'
import type { Way } from './way.ts'

export interface LiveOptions extends Omit<AnswerOutOptions, 'encoder' | 'onPause' | 'onResume'> {
  readonly beat: HeartbeatOptions
  readonly live: Live
  readonly way: Way
  readonly countsEvents: boolean
  readonly onHalt: OnHalt | undefined
  /** Whoever acts on this answer. */
  readonly createEngine: ((out: EngineOut) => Engine) | undefined
}

/** After so many runs that ended as soon as they began, an answer is not made of any. */
const MAX_FAILED_RUNS = 4

export function serveLive(options: LiveOptions): Promise<Delivered> {
  const { live, way, wire, response, client } = options
  const { call } = live
  return new Promise((resolve) => {
    const framer = createFrameDecoder()
    const decoder = way.wire.createDecoder({ createId: randomId })
    const stages: readonly AnswerStage[] = way.createStages()
    let isOver = false
    const isHeld = { client: false, policy: false }
    let isReading = false
    let isFlushing = false
    /** What the last event that left had become. */
    let lastSent: StreamEvent | undefined
    let lastFrames: readonly Written[] = []
    let run: Run | undefined
    let failedRuns = 0
    /** So many frames of a run are told at this moment. */
    let told = 0
    let isNoted = false
    /** Why the upstream broke off, where that is known better than by its end. */
    let cause: StreamFault | undefined

    const out = createAnswerOut({
      wire,
      encoder: way.encoder,
      response,
      client,
      isChecked: options.isChecked,
      tape: options.tape,
      onPause: () => hold('client'),
      onResume: () => letGo('client'),
    })
    const beat = createHeartbeat(options.beat, {
      keepalive(asEvent) {
        // An event has a number, and those of a run are not known before it is told.
        const isEvent = asEvent && options.countsEvents
        try {
          if (isEvent) endRun()
        } catch (error) {
          return fail(error)
        }
        out.keepalive(isEvent)
      },
      expired: (fault) => breakOff(fault),
      stalled: () => response.destroy(),
    })
    const acting = options.createEngine?.({
      state: out.state,
      send,
      done: () => finish(),
      // What would come now is for nobody.
      halt: () => call.abort(),
      pause: () => hold('policy'),
      resume: () => letGo('policy'),
    })

    function hold(who: 'client' | 'policy'): void {
      if (!isHeld.client && !isHeld.policy) {
        call.pause()
        beat.paused()
      }
      isHeld[who] = true
    }

    function letGo(who: 'client' | 'policy'): void {
      isHeld[who] = false
      if (isHeld.client || isHeld.policy) return
      beat.resumed()
      call.resume()
    }

    /** Through the stages from that one on, then to whoever acts, then out. */
    function pass(event: StreamEvent, at: number): void {
      const stage = stages[at]
      if (stage !== undefined) {
        for (const next of stage.push(event)) pass(next, at + 1)
        return
      }
      const said = event.type === 'error' ? toSaid(event) : event
      if (acting === undefined) send(said)
      else acting.push(said)
    }

    /**
     * What the decoder found out is for us to say, and no frame of the upstream's says it: a copy is written, where
     * the event itself would leave as it came. That it was cut is all that the decoder can say.
     */
    function toSaid(event: EventOf<'error'>): EventOf<'error'> {
      const { kind } = event.error
      if (kind === 'cut') return { ...event, error: cause ?? event.error }
      return kind === 'bad-stream' ? { ...event } : event
    }

    function send(event: StreamEvent): void {
      if (isOver) return
      if (told > 0) {
        isNoted = true
        return out.note(event, told)
      }
      lastSent = event
      lastFrames = out.emit(event)
      if (isReading || isFlushing) return
      // It comes from somebody who took time: what is sent at once leaves at once.
      isFlushing = true
      process.nextTick(flushLater)
    }

    function flushLater(): void {
      isFlushing = false
      if (isOver) return
      if (out.hasWaiting()) beat.said()
      out.flush()
    }

    function finish(hasLeft = false): void {
      if (isOver) return
      if (!hasLeft) settleRun()
      isOver = true
      beat.stop()
      offLeave()
      offHalt?.()
      resolve(out.end(hasLeft))
    }

    function leave(): void {
      call.abort()
      try {
        settleRun()
      } catch {
        // A limit was passed, and nobody is there to be told.
      }
      acting?.leave()
      finish(true)
    }

    /** A limit was passed, or we cannot go on: the answer ends here, and not as a success. */
    function fail(error: unknown): void {
      call.abort()
      acting?.leave()
      run = undefined
      out.emit({ type: 'error', error: toActedFault(error) })
      finish()
    }

    function breakOff(fault: StreamFault): void {
      if (isOver) return
      cause = fault
      call.abort()
      end()
    }

    function end(rest?: Buffer): void {
      if (isOver) return
      isReading = true
      try {
        if (rest !== undefined) read(rest)
        settleRun()
        for (const frame of framer.end()) readFrame(frame)
        for (const event of decoder.end()) pass(event, 0)
        for (const [at, stage] of stages.entries())
          for (const event of stage.end()) pass(event, at + 1)
      } catch (error) {
        return fail(error)
      } finally {
        isReading = false
      }
      if (acting === undefined) return finish()
      beat.over()
      acting.end()
      if (!isOver) out.flush()
    }

    function read(bytes: Buffer): void {
      let at = 0
      while (at < bytes.length) {
        if (run !== undefined) {
          const end = run.take(bytes, at)
          if (end > at) {
            if (!run.isGathered) out.add(run.written)
            at = end
            continue
          }
          endRun()
        }
        const end = failedRuns > MAX_FAILED_RUNS ? bytes.length : frameEnd(bytes, at)
        const piece = at === 0 && end === bytes.length ? bytes : bytes.subarray(at, end)
        for (const frame of framer.push(piece)) readFrame(frame)
        at = end
      }
    }

    function readFrame(frame: Frame): void {
      // Where several frames were read at once, the one before may have begun a run: this one is none of it.
      run = undefined
      const events = decoder.push(frame)
      for (const event of events) pass(event, 0)
      const [event] = events
      if (events.length === 1 && event?.type === 'block-delta') beginRun(event, frame)
    }

    /** A frame that says a piece of a block and nothing else, if it passed as it was, shows what the next look like. */
    function beginRun(event: EventOf<'block-delta'>, frame: Frame): void {
      const { block, delta } = event
      if (failedRuns > MAX_FAILED_RUNS || !('text' in delta)) return
      if (acting?.gathers(block) === true) {
        const form = findForm(way.wire, frame.raw, delta.text)
        if (form === undefined) failedRuns += 1
        else run = new Run(form, undefined, true)
        return
      }
      if (lastSent !== event || lastFrames.length !== 1 || event.choice !== undefined) return
      // Free text may be wrapped in JSON, where it is escaped twice.
      if (block.type === 'tool-call' && block.dialect !== 'function' && !out.isVerbatim()) return
      if (acting?.passes(block) === false || !stages.every((stage) => stage.passes?.(event))) return
      const form = findForm(way.wire, frame.raw, delta.text)
      const [written] = lastFrames
      const own = typeof written === 'string' ? readOwnForm(written, delta.text) : undefined
      if (form !== undefined && (own !== undefined || out.isVerbatim())) run = new Run(form, own)
      else failedRuns += 1
    }

    /** Tells what passed by, as one frame. */
    function settleRun(): void {
      const isGathered = run?.isGathered === true
      const settled = run?.settled()
      if (settled === undefined) return
      const { bytes, raw, frames } = settled
      told = isGathered ? 0 : frames
      isNoted = false
      try {
        for (const one of framer.push(bytes)) {
          const frame = isGathered ? asMany(one, raw, frames) : one
          for (const event of decoder.push(frame)) pass(event, 0)
        }
      } finally {
        // Whoever acts could not take it: the frames have left all the same.
        if (told > 0 && !isNoted) out.skip(told)
        told = 0
      }
    }

    function endRun(): void {
      if (run?.hasTaken === false) failedRuns += 1
      settleRun()
      run = undefined
    }

    const offLeave = client.onLeave(leave)
    const offHalt = options.onHalt?.(breakOff)
    if (client.hasLeft) return leave()
    live.take({
      onFrames(bytes, isLast) {
        if (isOver) return
        beat.came()
        isReading = true
        try {
          read(bytes)
        } catch (error) {
          return fail(error)
        } finally {
          isReading = false
        }
        if (isOver) return
        // What comes may be for nobody, such as thinking that the client did not ask for.
        if (out.hasWaiting()) beat.said()
        if (stages.some(hasEnded)) {
          // A stop sequence was met: what would come now is for nobody.
          call.abort()
          return end()
        }
        if (!isLast) out.flush()
      },
      onEnd: (rest) => end(rest),
      onError: breakOff,
    })
    // All that has come is held back: the client learns now that an answer comes.
    if (!isOver && !out.hasBegun()) response.flushHeaders()
  })
}

/** What is read says what they all said; what leaves are they. */
const asMany = ({ event, data }: Frame, raw: Buffer, frames: number): Frame =>
  new Frame(event, data, raw, 0, raw.length, { frames })

const hasEnded = (stage: AnswerStage): boolean => stage.hasStopped === true
