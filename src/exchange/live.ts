/**
 * A stream that is read: frames of the upstream's wire in, frames of the client's out, in one loop per buffer and one
 * write. Between the two stands what has to be undone of a translation, and whoever acts. Neighbours: `relay.ts` is the
 * way for what nobody reads, `made.ts` for an answer that came whole; `read-frames.ts` reads, `answer-out.ts` writes,
 * `policy/engine.ts` is whoever acts. No promise, no timer and no closure per chunk.
 */
import type { StreamState } from '../block/state.ts'
import type { StreamEvent } from '../event/event.ts'
import type { StreamFault } from '../event/fault.ts'
import type { Engine, EngineOut } from '../policy/engine.ts'
import { hasStopped, type AnswerStage } from '../translate/answer-stage.ts'
import type { UpstreamCall } from '../upstream/upstream.ts'
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
import { FrameReader } from './read-frames.ts'
import type { OnHalt } from './relay.ts'
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
  private readonly stages: readonly AnswerStage[]
  private readonly out: AnswerOut
  private readonly beat: Heartbeat
  private readonly brake: Brake
  private readonly acting: Engine | undefined
  private readonly reader: FrameReader
  private readonly offLeave: () => void
  private readonly offHalt: (() => void) | undefined
  private isOver = false
  private isReading = false
  private isFlushing = false
  /** Why the upstream broke off, where that is known better than by its end. */
  private cause: StreamFault | undefined

  constructor(options: LiveOptions, resolve: (delivered: Delivered) => void) {
    const { way, live, wire, response, client, isChecked, tape } = options
    this.options = options
    this.resolve = resolve
    this.call = live.call
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
    const { stages, acting, out } = this
    this.reader = new FrameReader({ wire: way.wire, stages, acting, out, sink: this })
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
      this.reader.read(bytes)
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
      if (rest !== undefined) this.reader.read(rest)
      this.reader.end()
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
      if (isEvent) this.reader.endRun()
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

  // What was read.

  take(event: StreamEvent): void {
    this.pass(event, 0)
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
    if (this.isOver || !this.reader.send(event)) return
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
    if (!hasLeft) this.reader.settleRun()
    this.isOver = true
    this.beat.stop()
    this.offLeave()
    this.offHalt?.()
    this.resolve(this.out.end(hasLeft))
  }

  private leave(): void {
    this.call.abort()
    try {
      this.reader.settleRun()
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
    this.reader.dropRun()
    this.out.emit({ type: 'error', error: toActedFault(error) })
    this.finish()
  }

  private breakOff(fault: StreamFault): void {
    if (this.isOver) return
    this.cause = fault
    this.call.abort()
    this.onEnd()
  }
}
