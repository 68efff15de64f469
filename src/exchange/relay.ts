/**
 * A stream that nobody acts on, from its first content to its end: whole frames leave as they came, with
 * signs of life in between while the upstream is silent, and with an error of its wire behind them if it
 * breaks off. Neighbours: `attempt.ts` gives the stream; `live.ts` is the other way. No parsing, no
 * promise and no timer per chunk.
 */
import type { ServerResponse } from 'node:http'
import type { StreamFault } from '../event/fault.ts'
import { toBytes, type Written } from '../sse/encode.ts'
import type { Tape } from '../store/tape.ts'
import type { Live, LiveSink } from './attempted.ts'
import { createClientStream, type ClientStream } from './client-stream.ts'
import type { Departure } from './departure.ts'
import {
  createHeartbeat,
  type Heartbeat,
  type HeartbeatListener,
  type HeartbeatOptions,
} from './heartbeat.ts'

export interface RelayOptions {
  readonly live: Live
  /** Its head has been written. */
  readonly response: ServerResponse
  readonly client: Departure
  /** Whether this client takes only events for signs of life, and lives with any: Codex. */
  readonly countsEvents: boolean
  readonly beat: HeartbeatOptions
  readonly onHalt: OnHalt
  /** Told of what leaves that did not come. */
  readonly tape?: Tape | undefined
}

export interface Relayed {
  /** Why it broke off, if it did. */
  readonly fault: StreamFault | undefined
  readonly hasLeft: boolean
  readonly bytesOut: number
}

/** Tells why the answer must end, when it must; gives back how to stop that. */
export type OnHalt = (callback: (fault: StreamFault) => void) => () => void

export const relay = (options: RelayOptions): Promise<Relayed> =>
  new Promise((resolve) => {
    new Relay(options, resolve).begin()
  })

/** A class, and not functions around what they share: every stream that passes has one, for as long as it takes. */
class Relay implements LiveSink, HeartbeatListener {
  private readonly options: RelayOptions
  private readonly resolve: (relayed: Relayed) => void
  private readonly out: ClientStream
  private readonly beat: Heartbeat
  private readonly offDrain: () => void
  private readonly offLeave: () => void
  private readonly offHalt: () => void
  private bytesOut = 0
  /** How many of them are the upstream's. */
  private passed = 0
  private isOver = false
  private isPaused = false
  /** The last bytes, which go out together with the end. */
  private last: Uint8Array | undefined

  constructor(options: RelayOptions, resolve: (relayed: Relayed) => void) {
    this.options = options
    this.resolve = resolve
    this.out = createClientStream(options.response)
    this.beat = createHeartbeat(options.beat, this)
    this.offDrain = this.out.onDrain(() => this.onDrain())
    this.offLeave = options.client.onLeave(() => this.leave())
    this.offHalt = options.onHalt((fault) => this.breakOff(fault))
  }

  begin(): void {
    const { client, live, response } = this.options
    if (client.hasLeft) return this.leave()
    live.take(this)
    // Committed by time, with nothing to say: the client learns now that an answer comes. Else the head goes with its first bytes.
    if (!this.isOver && this.bytesOut === 0) response.flushHeaders()
  }

  // What the upstream says.

  onFrames(bytes: Buffer, isLast: boolean): void {
    this.beat.passed()
    this.passed += bytes.length
    if (isLast) {
      this.last = bytes
      this.bytesOut += bytes.length
    } else this.write(bytes)
  }

  onEnd(rest: Buffer | undefined, isWhole: boolean): void {
    const { watch } = this.options.live
    // Some servers leave out the last blank line: that is how it came, so that is how it leaves.
    if (isWhole || watch.hasSaidError) {
      if (rest !== undefined) {
        this.sayLast()
        this.passed += rest.length
        this.write(rest)
      }
      return this.finish(watch.fault)
    }
    this.breakOff(watch.fault ?? { kind: 'cut', message: cutMessage(this.options.beat.name) })
  }

  onError(fault: StreamFault): void {
    this.breakOff(fault)
  }

  // What the clock says.

  keepalive(asEvent: boolean): void {
    const { live, countsEvents } = this.options
    // openai 6 forgets the items when a response is announced once more, and Codex never looks at it.
    for (const written of live.watch.keepalive(asEvent && countsEvents)) this.write(written)
  }

  expired(fault: StreamFault): void {
    this.breakOff(fault)
  }

  stalled(): void {
    this.options.response.destroy()
  }

  private write(written: Written): void {
    const bytes = toBytes(written)
    this.bytesOut += bytes.length
    if (this.out.write(bytes) || this.isPaused) return
    this.isPaused = true
    this.options.live.call.pause()
    this.beat.paused()
  }

  private onDrain(): void {
    if (!this.isPaused) return
    this.isPaused = false
    this.beat.resumed()
    this.options.live.call.resume()
  }

  private finish(fault: StreamFault | undefined, hasLeft = false): void {
    if (this.isOver) return
    this.isOver = true
    this.beat.stop()
    this.offLeave()
    this.offHalt()
    this.offDrain()
    if (!hasLeft) this.out.end(this.last)
    this.resolve({ fault, hasLeft, bytesOut: this.bytesOut })
  }

  private leave(): void {
    this.options.live.call.abort()
    this.finish(undefined, true)
  }

  /** Something comes behind them after all. */
  private sayLast(): void {
    if (this.last !== undefined) this.out.write(this.last)
    this.last = undefined
  }

  private breakOff(fault: StreamFault): void {
    if (this.isOver) return
    const { live, tape } = this.options
    const { watch } = live
    live.call.abort()
    // The client has heard it all, or why not: nothing may stand behind that.
    const isHeard = watch.fault === undefined ? watch.isStopped : watch.hasSaidError
    if (isHeard) {
      tape?.brokeOff(this.passed, NOTHING)
      return this.finish(watch.fault)
    }
    this.sayLast()
    const said = watch.fail(fault)
    tape?.brokeOff(this.passed, Buffer.concat(said.map(toBytes)))
    for (const written of said) this.write(written)
    this.finish(fault)
  }
}

const NOTHING = new Uint8Array(0)

const cutMessage = (name: string): string =>
  `Upstream "${name}" ended before its answer was finished`
