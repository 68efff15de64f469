/**
 * A stream of another wire that nobody acts on: frames in, frames of the client's wire out, in one loop per
 * buffer and one write. No promise, no timer and no closure per chunk. Neighbours: `relay.ts` is the way for
 * what stays as it is, `acted.ts` for what somebody acts on; `way.ts` says what has to be undone.
 */
import type { ServerResponse } from 'node:http'
import { createAssembler } from '../block/assemble.ts'
import type { StreamState } from '../block/state.ts'
import type { StreamEvent } from '../event/event.ts'
import type { StreamFault } from '../event/fault.ts'
import type { Loss } from '../event/loss.ts'
import { createFrameDecoder } from '../sse/decode.ts'
import { toBytes, type Written } from '../sse/encode.ts'
import { randomId } from '../wire/ids.ts'
import type { Wire } from '../wire/wire.ts'
import { toActedFault } from './acted.ts'
import type { Live } from './attempted.ts'
import { createCheck } from './check.ts'
import { createClientStream } from './client-stream.ts'
import type { Departure } from './departure.ts'
import { createHeartbeat, type HeartbeatOptions } from './heartbeat.ts'
import type { Way } from './way.ts'

export interface TranslatedOptions {
  readonly beat: HeartbeatOptions
  readonly live: Live
  readonly way: Way
  /** The client's. */
  readonly wire: Wire
  /** Its head has been written. */
  readonly response: ServerResponse
  readonly client: Departure
  readonly countsEvents: boolean
  /** Whether what is written is held to its grammar. */
  readonly isChecked: boolean
}

export interface Translated {
  readonly state: StreamState
  readonly fault: StreamFault | undefined
  readonly losses: readonly Loss[]
  readonly violations: number
  readonly bytesOut: number
  readonly hasLeft: boolean
  /** Whether the end was said while the client was there. */
  readonly isHeard: boolean
  /** The frames that said the end. */
  readonly last: readonly Written[]
}

export function translateLive(options: TranslatedOptions): Promise<Translated> {
  const { live, way, wire, response, client } = options
  const { call } = live
  return new Promise((resolve) => {
    const framer = createFrameDecoder()
    const decoder = way.wire.createDecoder({ createId: randomId })
    const stages = way.createStages()
    const encoder = wire.createEncoder(way.encoder)
    const assembler = createAssembler()
    const check = createCheck(wire, options.isChecked)
    const out = createClientStream(response)
    const written: Written[] = []
    let last: readonly Written[] = []
    let bytesOut = 0
    let isOver = false
    let isPaused = false
    let isHeard = false
    /** Why the upstream broke off, where that is known better than by its end. */
    let cause: StreamFault | undefined
    const beat = createHeartbeat(options.beat, {
      keepalive(asEvent) {
        written.push(...encoder.keepalive(asEvent && options.countsEvents))
        flush()
      },
      expired: (fault) => breakOff(fault),
      stalled: () => response.destroy(),
    })

    /** Through the stages from that one on, then out. */
    function pass(event: StreamEvent, at: number): void {
      const stage = stages[at]
      if (stage !== undefined) {
        for (const next of stage.push(event)) pass(next, at + 1)
        return
      }
      // The decoder can only say that it was cut.
      const said: StreamEvent =
        event.type === 'error' && event.error.kind === 'cut' && cause !== undefined
          ? { ...event, error: cause }
          : event
      assembler.apply(said)
      const frames = encoder.push(said)
      for (const frame of frames) written.push(frame)
      if (said.type !== 'message-stop' && said.type !== 'error') return
      isHeard ||= !client.hasLeft
      last = frames
    }

    function flush(isEnd = false): void {
      if (written.length === 0) {
        if (isEnd) out.end()
        return
      }
      const bytes = join(written)
      written.length = 0
      bytesOut += bytes.length
      check.push(bytes)
      if (isEnd) return out.end(bytes)
      if (out.write(bytes) || isPaused) return
      isPaused = true
      call.pause()
      beat.paused()
    }

    function finish(hasLeft = false): void {
      if (isOver) return
      isOver = true
      beat.stop()
      offLeave()
      offDrain()
      if (!hasLeft) {
        for (const frame of encoder.end()) written.push(frame)
        flush(true)
      }
      resolve({
        state: assembler.state,
        fault: encoder.fault,
        losses: encoder.losses(),
        violations: check.end(),
        bytesOut,
        hasLeft,
        isHeard,
        last,
      })
    }

    function leave(): void {
      call.abort()
      finish(true)
    }

    /** A limit was passed, or we cannot go on: the answer ends here, and not as a success. */
    function fail(error: unknown): void {
      call.abort()
      for (const frame of encoder.push({ type: 'error', error: toActedFault(error) }))
        written.push(frame)
      finish()
    }

    function breakOff(fault: StreamFault): void {
      if (isOver) return
      cause = fault
      call.abort()
      end()
    }

    function end(rest?: Uint8Array): void {
      if (isOver) return
      try {
        if (rest !== undefined) read(rest)
        for (const frame of framer.end()) for (const event of decoder.push(frame)) pass(event, 0)
        for (const event of decoder.end()) pass(event, 0)
        for (const [at, stage] of stages.entries())
          for (const event of stage.end()) pass(event, at + 1)
      } catch (error) {
        return fail(error)
      }
      finish()
    }

    function read(bytes: Uint8Array): void {
      for (const frame of framer.push(bytes))
        for (const event of decoder.push(frame)) pass(event, 0)
    }

    const offLeave = client.onLeave(leave)
    const offDrain = out.onDrain(() => {
      if (!isPaused) return
      isPaused = false
      beat.resumed()
      call.resume()
    })
    if (client.hasLeft) return leave()
    live.take({
      onFrames(bytes, isLast) {
        if (isOver) return
        beat.came()
        try {
          read(bytes)
        } catch (error) {
          return fail(error)
        }
        // What comes may be for nobody, such as thinking that the client did not ask for.
        if (written.length > 0) beat.said()
        if (stages.some(hasEnded)) {
          // A stop sequence was met: what would come now is for nobody.
          call.abort()
          return end()
        }
        if (!isLast) flush()
      },
      onEnd: (rest) => end(rest),
      onError: breakOff,
    })
  })
}

const hasEnded = (stage: object): boolean => 'hasStopped' in stage && stage.hasStopped === true

function join(written: readonly Written[]): Uint8Array {
  const [first] = written
  if (written.length === 1 && first !== undefined) return toBytes(first)
  if (written.every((one) => typeof one === 'string')) return Buffer.from(written.join(''))
  return Buffer.concat(written.map(toBytes))
}
