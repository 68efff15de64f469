/**
 * Events to the client's frames, and those into its connection. Neighbours: `live.ts` and `made.ts` give the events,
 * `client-stream.ts` takes the bytes. Knows nothing of upstreams.
 */
import type { ServerResponse } from 'node:http'
import type { JsonObject } from '../base/json.ts'
import { createAssembler } from '../block/assemble.ts'
import type { StreamState } from '../block/state.ts'
import type { StreamEvent } from '../event/event.ts'
import type { StreamFault } from '../event/fault.ts'
import type { Loss } from '../event/loss.ts'
import type { Written } from '../sse/encode.ts'
import type { Tape } from '../store/tape.ts'
import type { EncoderOptions, Wire } from '../wire/wire.ts'
import { createCheck, UNCHECKED } from './check.ts'
import { createClientStream } from './client-stream.ts'
import type { Departure } from './departure.ts'

export interface AnswerOutOptions {
  /** The client's. */
  readonly wire: Wire
  readonly encoder: EncoderOptions | undefined
  /** Its head has been written. */
  readonly response: ServerResponse
  readonly client: Departure
  /** Whether what is written is held to its grammar. */
  readonly isChecked: boolean
  /** Told what leaves. */
  readonly tape?: Tape | undefined
  /** The client does not read, and reads again. */
  onPause(): void
  onResume(): void
}

/** What was delivered, and what is to be said of it. */
export interface Delivered {
  readonly state: StreamState
  readonly fault: StreamFault | undefined
  readonly losses: readonly Loss[]
  readonly violations: number
  readonly bytesOut: number
  readonly hasLeft: boolean
  /** Whether the end was said while the client was there. */
  readonly isHeard: boolean
  /** The whole answer, where its end told it and we wrote that. */
  readonly terminal: JsonObject | undefined
  /** Whether every frame left as it came. */
  readonly isVerbatim: boolean
}

export interface AnswerOut {
  readonly state: StreamState
  /** Frames wait for `flush`. Gives back those of this event. */
  emit(event: StreamEvent): readonly Written[]
  /** Frames that were made elsewhere. */
  add(bytes: Uint8Array): void
  /** An event whose frames have left already, so many of them. */
  note(event: StreamEvent, frames: number): void
  /** Frames have left of which nothing is known. */
  skip(frames: number): void
  readonly isVerbatim: () => boolean
  /** Whether anything has left. */
  readonly hasBegun: () => boolean
  /** Whether anything waits. */
  readonly hasWaiting: () => boolean
  keepalive(asEvent: boolean): void
  flush(): void
  /** Ends the answer, unless the client has left. */
  end(hasLeft: boolean): Delivered
}

export function createAnswerOut(options: AnswerOutOptions): AnswerOut {
  const { wire, client, tape } = options
  const encoder = wire.createEncoder(options.encoder)
  const assembler = createAssembler()
  const check = createCheck(wire, options.isChecked)
  const out = createClientStream(options.response)
  const written: Written[] = []
  let bytesOut = 0
  let isPaused = false
  let isHeard = false
  let isEnded = false

  const offDrain = out.onDrain(() => {
    if (!isPaused) return
    isPaused = false
    options.onResume()
  })

  /** `isKept`: whether it is part of the answer, and not just a sign of life. */
  function flush(isEnd = false, by = check, isKept = true): void {
    if (isEnded) return
    isEnded = isEnd
    if (written.length === 0) {
      if (isEnd) out.end()
      return
    }
    const bytes = join(written)
    written.length = 0
    bytesOut += bytes.length
    by.push(bytes)
    if (tape !== undefined && isKept) tape.left(bytes)
    if (isEnd) return out.end(bytes)
    if (out.write(bytes) || isPaused) return
    isPaused = true
    options.onPause()
  }

  return {
    state: assembler.state,
    emit(event) {
      assembler.apply(event)
      const frames = encoder.push(event)
      for (const frame of frames) written.push(frame)
      if (event.type === 'message-stop' || event.type === 'error') isHeard ||= !client.hasLeft
      return frames
    },
    add(bytes) {
      written.push(bytes)
    },
    note(event, frames) {
      assembler.apply(event)
      encoder.push(event)
      encoder.skip(frames - 1)
    },
    skip: (frames) => encoder.skip(frames),
    isVerbatim: () => encoder.isVerbatim,
    hasBegun: () => bytesOut > 0,
    hasWaiting: () => written.length > 0,
    keepalive(asEvent) {
      flush()
      written.push(...encoder.keepalive(asEvent))
      // An event has a number, and is missed if it is not there.
      flush(false, UNCHECKED, asEvent)
    },
    flush: () => flush(),
    end(hasLeft) {
      offDrain()
      if (!hasLeft) {
        for (const frame of encoder.end()) written.push(frame)
        flush(true)
      }
      isEnded = true
      if (tape !== undefined) endTape(tape, bytesOut, encoder.isVerbatim)
      return {
        state: assembler.state,
        fault: encoder.fault,
        losses: encoder.losses(),
        violations: check.end(),
        bytesOut,
        hasLeft,
        isHeard,
        terminal: encoder.terminal(),
        isVerbatim: encoder.isVerbatim,
      }
    },
  }
}

const NOTHING = new Uint8Array(0)

function endTape(tape: Tape, bytesOut: number, isVerbatim: boolean): void {
  if (bytesOut === 0) tape.left(NOTHING)
  if (isVerbatim) tape.same()
}

function join(written: readonly Written[]): Uint8Array {
  const [first] = written
  if (written.length === 1 && first !== undefined)
    return typeof first === 'string' ? Buffer.from(first) : first
  const parts: Uint8Array[] = []
  let text = ''
  for (const one of written) {
    if (typeof one === 'string') text += one
    else {
      if (text !== '') parts.push(Buffer.from(text))
      text = ''
      parts.push(one)
    }
  }
  if (text !== '') parts.push(Buffer.from(text))
  const [only] = parts
  return parts.length === 1 && only !== undefined ? only : Buffer.concat(parts)
}
