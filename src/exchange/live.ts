/**
 * A stream that is read: frames of the upstream's wire in, frames of the client's out, in one loop per buffer and one
 * write. Between the two stands what has to be undone of a translation, and whoever acts. Neighbours: `relay.ts` is the
 * way for what nobody reads, `made.ts` for an answer that came whole; `run.ts` carries what is alike without reading it;
 * `policy/engine.ts` is whoever acts. No promise, no timer and no closure per chunk.
 */
import type { StreamState } from '../block/state.ts'
import type { EventOf, StreamEvent } from '../event/event.ts'
import type { StreamFault } from '../event/fault.ts'
import { createFrameDecoder } from '../sse/decode.ts'
import type { Frame } from '../sse/frame.ts'
import type { Written } from '../sse/encode.ts'
import type { Engine, EngineOut } from '../policy/engine.ts'
import { hasStopped, type AnswerStage } from '../translate/answer-stage.ts'
import type { UpstreamCall } from '../upstream/upstream.ts'
import { randomId } from '../wire/ids.ts'
import type { Decoder } from '../wire/wire.ts'
import {
  createAnswerOut,
  type AnswerOut,
  type AnswerOutOptions,
  type Delivered,
} from './answer-out.ts'
import type { Live, LiveSink } from './attempted.ts'
import { Brake } from './brake.ts'
import { toActedFault, toSaid } from './fault-status.ts'
import {
  createHeartbeat,
  type Heartbeat,
  type HeartbeatListener,
  type HeartbeatOptions,
} from './heartbeat.ts'
import type { OnHalt } from './relay.ts'
import { findForm, frameEnd } from './known-forms.ts'
import { asMany, readOwnForm, Run } from './run.ts'
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

export const serveLive = (options: LiveOptions): Promise<Delivered> =>
  new Promise((resolve) => {
    new LiveStream(options, resolve).begin()
  })

/** A class, and not functions around what they share: every answer that is read has one, for as long as it takes. */
class LiveStream implements LiveSink, EngineOut, HeartbeatListener {
  readonly state: StreamState
  private readonly options: LiveOptions
  private readonly resolve: (delivered: Delivered) => void
  private readonly call: UpstreamCall
  private readonly framer = createFrameDecoder()
  private readonly decoder: Decoder
  private readonly stages: readonly AnswerStage[]
  private readonly out: AnswerOut
  private readonly beat: Heartbeat
  private readonly brake: Brake
  private readonly acting: Engine | undefined
  private readonly offLeave: () => void
  private readonly offHalt: (() => void) | undefined
  private isOver = false
  private isReading = false
  private isFlushing = false
  /** What the last event that left had become. */
  private lastSent: StreamEvent | undefined
  private lastFrames: readonly Written[] = []
  private run: Run | undefined
  private failedRuns = 0
  /** So many frames of a run are told at this moment. */
  private told = 0
  private isNoted = false
  /** Why the upstream broke off, where that is known better than by its end. */
  private cause: StreamFault | undefined

  constructor(options: LiveOptions, resolve: (delivered: Delivered) => void) {
    const { way, live, wire, response, client, isChecked, tape } = options
    this.options = options
    this.resolve = resolve
    this.call = live.call
    this.decoder = way.wire.createDecoder({ createId: randomId })
    this.stages = way.createStages()
    this.out = createAnswerOut({
      wire,
      encoder: way.encoder,
      response,
      client,
      isChecked,
      tape,
      onPause: () => this.brake.hold('client'),
      onResume: () => this.brake.letGo('client'),
    })
    this.state = this.out.state
    this.beat = createHeartbeat(options.beat, this)
    this.brake = new Brake(live.call, this.beat)
    this.acting = options.createEngine?.(this)
    this.offLeave = client.onLeave(() => this.leave())
    this.offHalt = options.onHalt?.((fault) => this.breakOff(fault))
  }

  begin(): void {
    const { live, client, response } = this.options
    if (client.hasLeft) return this.leave()
    live.take(this)
    // All that has come is held back: the client learns now that an answer comes.
    if (!this.isOver && !this.out.hasBegun()) response.flushHeaders()
  }

  // What the upstream says.

  onFrames(bytes: Buffer, isLast: boolean): void {
    if (this.isOver) return
    this.beat.came()
    this.isReading = true
    try {
      this.read(bytes)
    } catch (error) {
      return this.fail(error)
    } finally {
      this.isReading = false
    }
    if (this.isOver) return
    // What comes may be for nobody, such as thinking that the client did not ask for.
    if (this.out.hasWaiting()) this.beat.said()
    if (hasStopped(this.stages)) {
      // A stop sequence was met: what would come now is for nobody.
      this.call.abort()
      return this.onEnd()
    }
    if (!isLast) this.out.flush()
  }

  onEnd(rest?: Buffer): void {
    if (this.isOver) return
    this.isReading = true
    try {
      if (rest !== undefined) this.read(rest)
      this.settleRun()
      for (const frame of this.framer.end()) this.readFrame(frame)
      for (const event of this.decoder.end()) this.pass(event, 0)
      for (const [at, stage] of this.stages.entries())
        for (const event of stage.end()) this.pass(event, at + 1)
    } catch (error) {
      return this.fail(error)
    } finally {
      this.isReading = false
    }
    if (this.acting === undefined) return this.finish()
    this.beat.over()
    this.acting.end()
    if (!this.isOver) this.out.flush()
  }

  onError(fault: StreamFault): void {
    this.breakOff(fault)
  }

  // What whoever acts says.

  done(): void {
    this.finish()
  }

  halt(): void {
    // What would come now is for nobody.
    this.call.abort()
  }

  pause(): void {
    this.brake.hold('policy')
  }

  resume(): void {
    this.brake.letGo('policy')
  }

  // What the clock says.

  keepalive(asEvent: boolean): void {
    // An event has a number, and those of a run are not known before it is told.
    const isEvent = asEvent && this.options.countsEvents
    try {
      if (isEvent) this.endRun()
    } catch (error) {
      return this.fail(error)
    }
    this.out.keepalive(isEvent)
  }

  expired(fault: StreamFault): void {
    this.breakOff(fault)
  }

  stalled(): void {
    this.options.response.destroy()
  }

  /** Through the stages from that one on, then to whoever acts, then out. */
  private pass(event: StreamEvent, at: number): void {
    const stage = this.stages[at]
    if (stage !== undefined) {
      for (const next of stage.push(event)) this.pass(next, at + 1)
      return
    }
    const said = event.type === 'error' ? toSaid(event, this.cause) : event
    if (this.acting === undefined) this.send(said)
    else this.acting.push(said)
  }

  send(event: StreamEvent): void {
    if (this.isOver) return
    if (this.told > 0) {
      this.isNoted = true
      return this.out.note(event, this.told)
    }
    this.lastSent = event
    this.lastFrames = this.out.emit(event)
    if (this.isReading || this.isFlushing) return
    // It comes from somebody who took time: what is sent at once leaves at once.
    this.isFlushing = true
    process.nextTick(() => this.flushLater())
  }

  private flushLater(): void {
    this.isFlushing = false
    if (this.isOver) return
    if (this.out.hasWaiting()) this.beat.said()
    this.out.flush()
  }

  private finish(hasLeft = false): void {
    if (this.isOver) return
    if (!hasLeft) this.settleRun()
    this.isOver = true
    this.beat.stop()
    this.offLeave()
    this.offHalt?.()
    this.resolve(this.out.end(hasLeft))
  }

  private leave(): void {
    this.call.abort()
    try {
      this.settleRun()
    } catch {
      // A limit was passed, and nobody is there to be told.
    }
    this.acting?.leave()
    this.finish(true)
  }

  /** A limit was passed, or we cannot go on: the answer ends here, and not as a success. */
  private fail(error: unknown): void {
    this.call.abort()
    this.acting?.leave()
    this.run = undefined
    this.out.emit({ type: 'error', error: toActedFault(error) })
    this.finish()
  }

  private breakOff(fault: StreamFault): void {
    if (this.isOver) return
    this.cause = fault
    this.call.abort()
    this.onEnd()
  }

  private read(bytes: Buffer): void {
    for (let at = 0; at < bytes.length;) at = this.takeRun(bytes, at) ?? this.readPiece(bytes, at)
  }

  /** Where the run ends that passes by from there; `undefined` where there is none. */
  private takeRun(bytes: Buffer, at: number): number | undefined {
    const { run } = this
    const end = run?.take(bytes, at) ?? at
    if (run !== undefined && end > at) {
      if (!run.isGathered) this.out.add(run.written)
      return end
    }
    this.endRun()
    return undefined
  }

  private readPiece(bytes: Buffer, at: number): number {
    const end = this.failedRuns > MAX_FAILED_RUNS ? bytes.length : frameEnd(bytes, at)
    const piece = at === 0 && end === bytes.length ? bytes : bytes.subarray(at, end)
    for (const frame of this.framer.push(piece)) this.readFrame(frame)
    return end
  }

  private readFrame(frame: Frame): void {
    // Where several frames were read at once, the one before may have begun a run: this one is none of it.
    this.run = undefined
    const events = this.decoder.push(frame)
    for (const event of events) this.pass(event, 0)
    const [event] = events
    if (events.length === 1 && event?.type === 'block-delta') this.beginRun(event, frame)
  }

  /** A frame that says a piece of a block and nothing else, if it passed as it was, shows what the next look like. */
  private beginRun(event: EventOf<'block-delta'>, frame: Frame): void {
    const { block, delta } = event
    if (this.failedRuns > MAX_FAILED_RUNS || !('text' in delta)) return
    if (this.acting?.gathers(block) === true) {
      const form = findForm(this.options.way.wire, frame.raw, delta.text)
      if (form === undefined) this.failedRuns += 1
      else this.run = new Run(form, undefined, true)
      return
    }
    if (this.lastSent !== event || this.lastFrames.length !== 1 || event.choice !== undefined)
      return
    // Free text may be wrapped in JSON, where it is escaped twice.
    if (block.type === 'tool-call' && block.dialect !== 'function' && !this.out.isVerbatim()) return
    if (
      this.acting?.passes(block) === false ||
      !this.stages.every((stage) => stage.passes?.(event))
    )
      return
    const form = findForm(this.options.way.wire, frame.raw, delta.text)
    const [written] = this.lastFrames
    const own = typeof written === 'string' ? readOwnForm(written, delta.text) : undefined
    if (form !== undefined && (own !== undefined || this.out.isVerbatim()))
      this.run = new Run(form, own)
    else this.failedRuns += 1
  }

  /** Tells what passed by, as one frame. */
  private settleRun(): void {
    const isGathered = this.run?.isGathered === true
    const settled = this.run?.settled()
    if (settled === undefined) return
    const { bytes, raw, frames } = settled
    this.told = isGathered ? 0 : frames
    this.isNoted = false
    try {
      for (const one of this.framer.push(bytes)) {
        const frame = isGathered ? asMany(one, raw, frames) : one
        for (const event of this.decoder.push(frame)) this.pass(event, 0)
      }
    } finally {
      // Whoever acts could not take it: the frames have left all the same.
      if (this.told > 0 && !this.isNoted) this.out.skip(this.told)
      this.told = 0
    }
  }

  private endRun(): void {
    if (this.run?.hasTaken === false) this.failedRuns += 1
    this.settleRun()
    this.run = undefined
  }
}
