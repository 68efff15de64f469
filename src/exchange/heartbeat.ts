/**
 * The time limits of a stream under way, and the signs of life that a client gets in silence. Ours stop
 * when the upstream's own time is up, so that they never keep a dead stream alive. Neighbours:
 * `relay.ts`, `live.ts` and `made.ts`.
 */
import type { Place } from '../base/bag.ts'
import type { StreamFault } from '../event/fault.ts'
import type { TimeLimits } from '../upstream/settings.ts'
import type { Ticker, Timed } from './ticker.ts'

export interface HeartbeatOptions {
  readonly ticker: Ticker
  /** When the exchange began, on the ticker's clock. */
  readonly startedAt: number
  readonly limits: TimeLimits
  readonly keepaliveMs: number
  /** The name of the upstream, for messages. */
  readonly name: string
}

export interface Heartbeat {
  /** Something came from the upstream. */
  came(): void
  /** Something left for the client. */
  said(): void
  /** Both at once. */
  passed(): void
  /** The client does not read: the upstream waits, and its silence is not its own. */
  paused(): void
  resumed(): void
  /** Nothing more comes from the upstream: its silence is its end, and only signs of life are left to give. */
  over(): void
  stop(): void
}

/** Clients that count events and not comments wait 300 s (Codex), so one of these a minute is enough. */
const EVENT_EVERY_MS = 60_000

/** Whom it tells. */
export interface HeartbeatListener {
  keepalive(asEvent: boolean): void
  expired(fault: StreamFault): void
  /** The client has not read for so long that it is taken for gone. */
  stalled(): void
}

export const createHeartbeat = (
  options: HeartbeatOptions,
  listener: HeartbeatListener,
): Heartbeat => new Clock(options, listener)

/** A class, and not functions around what they share: every stream has one, for as long as it takes. */
class Clock implements Heartbeat, Timed {
  private readonly options: HeartbeatOptions
  private readonly listener: HeartbeatListener
  private cameAt: number
  private saidAt: number
  private eventAt: number
  private pausedAt: number | undefined
  // Noted, and timed at the next tick: asking for the time at every chunk would cost more than the rest.
  private hasCome = false
  private hasSaid = false
  private isOver = false
  private readonly place: Place<Timed>

  constructor(options: HeartbeatOptions, listener: HeartbeatListener) {
    this.options = options
    this.listener = listener
    this.cameAt = this.saidAt = this.eventAt = options.ticker.now()
    this.place = options.ticker.watch(this)
  }

  came(): void {
    this.hasCome = true
  }

  said(): void {
    this.hasSaid = true
  }

  passed(): void {
    this.hasCome = this.hasSaid = true
  }

  paused(): void {
    this.pausedAt ??= this.options.ticker.now()
  }

  resumed(): void {
    this.pausedAt = undefined
    this.cameAt = this.options.ticker.now()
  }

  over(): void {
    this.isOver = true
  }

  stop(): void {
    this.options.ticker.unwatch(this.place)
  }

  look(now: number): void {
    const { startedAt, limits, keepaliveMs, name } = this.options
    if (this.hasCome) this.cameAt = now
    if (this.hasSaid) this.saidAt = this.eventAt = now
    this.hasCome = this.hasSaid = false
    if (!this.isOver && now - startedAt > limits.total)
      return this.expire(`Upstream "${name}" did not finish within ${toSeconds(limits.total)} s`)
    if (this.pausedAt !== undefined) {
      if (now - this.pausedAt > limits.idle) this.listener.stalled()
      return
    }
    if (!this.isOver && now - this.cameAt > limits.idle)
      return this.expire(`Upstream "${name}" was silent for ${toSeconds(limits.idle)} s`)
    if (now - this.saidAt < keepaliveMs) return
    this.saidAt = now
    const asEvent = now - this.eventAt >= EVENT_EVERY_MS
    if (asEvent) this.eventAt = now
    this.listener.keepalive(asEvent)
  }

  private expire(message: string): void {
    this.listener.expired({ kind: 'timeout', message })
  }
}

const toSeconds = (ms: number): number => Math.round(ms / 100) / 10
