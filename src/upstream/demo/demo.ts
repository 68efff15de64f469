/**
 * The embedded demo upstream: scripted answers on any wire, inside this process, without a key and without
 * a network. It is what a gateway without a config serves, and the double on which real clients are tried.
 * Neighbours: `../upstream.ts` is the contract, `reply.ts` decides, `play.ts` sends. Keeps nothing between
 * requests: the same request gets the same answer.
 */
import type { DemoUpstreamSettings } from '../settings.ts'
import type { Upstream, UpstreamCall } from '../upstream.ts'
import { play, scheduleOnTimers, type Schedule } from './play.ts'
import { toReply } from './reply.ts'

export interface DemoUpstreamOptions {
  /** Milliseconds since 1970: when an answer says it was made. With a fixed one the bytes are the same too. */
  readonly now?: () => number
  /** How time passes. */
  readonly schedule?: Schedule
}

export function createDemoUpstream(
  settings: DemoUpstreamSettings,
  options: DemoUpstreamOptions = {},
): Upstream {
  const { now = Date.now, schedule = scheduleOnTimers } = options
  const { name, wires, pace } = settings
  const underWay = new Set<object>()
  let isClosed = false
  let onIdle: (() => void)[] = []

  function leave(token: object): void {
    underWay.delete(token)
    if (!isClosed || underWay.size > 0) return
    const waiting = onIdle
    onIdle = []
    for (const resolve of waiting) resolve()
  }

  return {
    name,
    wires,
    send(request, sink): UpstreamCall {
      if (isClosed) {
        const message = 'The demo upstream is closed'
        const cancel = schedule(0, () =>
          sink.onError({ kind: 'internal', message, isBeforeRequest: true }),
        )
        return { pause() {}, resume() {}, abort: cancel }
      }
      const token = {}
      underWay.add(token)
      return play(toReply(request, { pace, now }), sink, { schedule, onOver: () => leave(token) })
    },
    close() {
      isClosed = true
      if (underWay.size === 0) return Promise.resolve()
      return new Promise((resolve) => {
        onIdle.push(resolve)
      })
    },
  }
}
