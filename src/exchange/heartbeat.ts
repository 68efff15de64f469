/**
 * The time limits of a stream under way, and the signs of life that a client gets in silence. Ours stop
 * when the upstream's own time is up, so that they never keep a dead stream alive. Neighbours:
 * `relay.ts`, `live.ts` and `made.ts`.
 */
import type { StreamFault } from '../event/fault.ts'
import type { TimeLimits } from '../upstream/settings.ts'
import type { Ticker } from './ticker.ts'

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

export function createHeartbeat(
  { ticker, startedAt, limits, keepaliveMs, name }: HeartbeatOptions,
  tell: {
    keepalive(asEvent: boolean): void
    expired(fault: StreamFault): void
    /** The client has not read for so long that it is taken for gone. */
    stalled(): void
  },
): Heartbeat {
  let cameAt = ticker.now()
  let saidAt = cameAt
  let eventAt = cameAt
  let pausedAt: number | undefined
  // Noted, and timed at the next tick: asking for the time at every chunk would cost more than the rest.
  let hasCome = false
  let hasSaid = false
  let isOver = false

  const expire = (message: string): void => tell.expired({ kind: 'timeout', message })

  const unwatch = ticker.watch((now) => {
    if (hasCome) cameAt = now
    if (hasSaid) saidAt = eventAt = now
    hasCome = hasSaid = false
    if (!isOver && now - startedAt > limits.total)
      return expire(`Upstream "${name}" did not finish within ${toSeconds(limits.total)} s`)
    if (pausedAt !== undefined) {
      if (now - pausedAt > limits.idle) tell.stalled()
      return
    }
    if (!isOver && now - cameAt > limits.idle)
      return expire(`Upstream "${name}" was silent for ${toSeconds(limits.idle)} s`)
    if (now - saidAt < keepaliveMs) return
    saidAt = now
    const asEvent = now - eventAt >= EVENT_EVERY_MS
    if (asEvent) eventAt = now
    tell.keepalive(asEvent)
  })

  return {
    came() {
      hasCome = true
    },
    said() {
      hasSaid = true
    },
    passed() {
      hasCome = hasSaid = true
    },
    paused() {
      pausedAt ??= ticker.now()
    },
    resumed() {
      pausedAt = undefined
      cameAt = ticker.now()
    },
    over() {
      isOver = true
    },
    stop: unwatch,
  }
}

const toSeconds = (ms: number): number => Math.round(ms / 100) / 10
