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
import type { Live } from './attempted.ts'
import { createClientStream } from './client-stream.ts'
import type { Departure } from './departure.ts'
import { createHeartbeat, type HeartbeatOptions } from './heartbeat.ts'

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

export function relay(options: RelayOptions): Promise<Relayed> {
  const { live, response, client } = options
  const { watch, call } = live
  return new Promise((resolve) => {
    const out = createClientStream(response)
    let bytesOut = 0
    /** How many of them are the upstream's. */
    let passed = 0
    let isOver = false
    let isPaused = false
    /** The last bytes, which go out together with the end. */
    let last: Uint8Array | undefined
    const beat = createHeartbeat(options.beat, {
      // openai 6 forgets the items when a response is announced once more, and Codex never looks at it.
      keepalive: (asEvent) => watch.keepalive(asEvent && options.countsEvents).forEach(write),
      expired: (fault) => breakOff(fault),
      stalled: () => response.destroy(),
    })

    function write(written: Written): void {
      const bytes = toBytes(written)
      bytesOut += bytes.length
      if (out.write(bytes) || isPaused) return
      isPaused = true
      call.pause()
      beat.paused()
    }

    function onDrain(): void {
      if (!isPaused) return
      isPaused = false
      beat.resumed()
      call.resume()
    }

    const offDrain = out.onDrain(onDrain)
    const offLeave = client.onLeave(leave)
    const offHalt = options.onHalt(breakOff)

    function finish(fault: StreamFault | undefined, hasLeft = false): void {
      if (isOver) return
      isOver = true
      beat.stop()
      offLeave()
      offHalt()
      offDrain()
      if (!hasLeft) out.end(last)
      resolve({ fault, hasLeft, bytesOut })
    }

    function leave(): void {
      call.abort()
      finish(undefined, true)
    }

    /** Something comes behind them after all. */
    function sayLast(): void {
      if (last !== undefined) out.write(last)
      last = undefined
    }

    function breakOff(fault: StreamFault): void {
      if (isOver) return
      call.abort()
      // The client has heard it all, or why not: nothing may stand behind that.
      const isHeard = watch.fault === undefined ? watch.isStopped : watch.hasSaidError
      if (isHeard) {
        options.tape?.brokeOff(passed, NOTHING)
        return finish(watch.fault)
      }
      sayLast()
      const said = watch.fail(fault)
      options.tape?.brokeOff(passed, Buffer.concat(said.map(toBytes)))
      said.forEach(write)
      finish(fault)
    }

    if (client.hasLeft) return leave()
    live.take({
      onFrames(bytes, isLast) {
        beat.passed()
        passed += bytes.length
        if (isLast) {
          last = bytes
          bytesOut += bytes.length
        } else write(bytes)
      },
      onEnd(rest, isWhole) {
        // Some servers leave out the last blank line: that is how it came, so that is how it leaves.
        if (isWhole || watch.hasSaidError) {
          if (rest !== undefined) {
            sayLast()
            passed += rest.length
            write(rest)
          }
          finish(watch.fault)
        } else breakOff(watch.fault ?? { kind: 'cut', message: cutMessage(options.beat.name) })
      },
      onError: breakOff,
    })
  })
}

const NOTHING = new Uint8Array(0)

const cutMessage = (name: string): string =>
  `Upstream "${name}" ended before its answer was finished`
