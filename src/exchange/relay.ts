/**
 * A stream that nobody acts on, from its first content to its end: whole frames leave as they came, with
 * signs of life in between while the upstream is silent, and with an error of its wire behind them if it
 * breaks off. Neighbours: `attempt.ts` gives the stream; `acted.ts` is the other way. No parsing, no
 * promise and no timer per chunk.
 */
import type { ServerResponse } from 'node:http'
import type { StreamFault } from '../event/fault.ts'
import type { Written } from '../sse/encode.ts'
import type { TimeLimits } from '../upstream/settings.ts'
import type { Live } from './attempt.ts'
import { createHeartbeat } from './heartbeat.ts'
import type { Ticker } from './ticker.ts'

export interface RelayOptions {
  readonly live: Live
  /** Its head has been written. */
  readonly response: ServerResponse
  readonly signal: AbortSignal
  readonly ticker: Ticker
  readonly startedAt: number
  readonly limits: TimeLimits
  readonly keepaliveMs: number
  /** The name of the upstream, for messages. */
  readonly name: string
}

export interface Relayed {
  /** Why it broke off, if it did. */
  readonly fault: StreamFault | undefined
  readonly hasLeft: boolean
  readonly bytesOut: number
}

export function relay(options: RelayOptions): Promise<Relayed> {
  const { live, response, signal } = options
  const { watch, call } = live
  return new Promise((resolve) => {
    let bytesOut = 0
    let isOver = false
    const beat = createHeartbeat(options, {
      keepalive: (asEvent) => watch.keepalive(asEvent).forEach(write),
      expired: (fault) => breakOff(fault),
      stalled: () => response.destroy(),
    })

    function write(written: Written): void {
      bytesOut += written.length
      if (response.write(written)) return
      call.pause()
      beat.paused()
    }

    function onDrain(): void {
      beat.resumed()
      call.resume()
    }

    function finish(fault: StreamFault | undefined, hasLeft = false): void {
      if (isOver) return
      isOver = true
      beat.stop()
      signal.removeEventListener('abort', leave)
      response.off('drain', onDrain)
      if (!hasLeft) response.end()
      resolve({ fault, hasLeft, bytesOut })
    }

    function leave(): void {
      call.abort()
      finish(undefined, true)
    }

    function breakOff(fault: StreamFault): void {
      if (isOver) return
      call.abort()
      watch.fail(fault).forEach(write)
      finish(fault)
    }

    if (signal.aborted) return leave()
    signal.addEventListener('abort', leave, { once: true })
    response.on('drain', onDrain)
    live.take({
      onFrames(bytes) {
        beat.passed()
        write(bytes)
      },
      onEnd(rest, isWhole) {
        // Some servers leave out the last blank line: that is how it came, so that is how it leaves.
        if (isWhole || watch.hasSaidError) {
          if (rest !== undefined) write(rest)
          finish(watch.fault)
        } else breakOff(watch.fault ?? { kind: 'cut', message: cutMessage(options.name) })
      },
      onError: breakOff,
    })
  })
}

const cutMessage = (name: string): string =>
  `Upstream "${name}" ended before its answer was finished`
