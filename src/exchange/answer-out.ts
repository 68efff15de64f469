/**
 * Events to the client's frames, and those into its connection. Neighbours: `live.ts` and `made.ts` give the events,
 * `client-stream.ts` takes the bytes. Knows nothing of upstreams.
 */
import type { ServerResponse } from 'node:http'
import { append, NOTHING } from '../base/few.ts'
import { createAssembler, type Assembler } from '../block/assemble.ts'
import type { StreamState } from '../block/state.ts'
import type { StreamEvent } from '../event/event.ts'
import type { StreamFault } from '../event/fault.ts'
import type { Loss } from '../event/loss.ts'
import type { Written } from '../sse/encode.ts'
import type { Tape } from '../store/tape.ts'
import type { Encoder, EncoderOptions, Terminal, Wire } from '../wire/wire.ts'
import { createCheck, UNCHECKED, type Check } from './check.ts'
import { createClientStream, type ClientStream } from './client-stream.ts'
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
  readonly terminal: Terminal | undefined
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
  isVerbatim(): boolean
  /** Whether anything has left. */
  hasBegun(): boolean
  /** Whether anything waits. */
  hasWaiting(): boolean
  keepalive(asEvent: boolean): void
  flush(): void
  /** Ends the answer, unless the client has left. */
  end(hasLeft: boolean): Delivered
}

export const createAnswerOut = (options: AnswerOutOptions): AnswerOut => new Out(options)

/** A class, and not functions around what they share: every answer that is read has one, for as long as it takes. */
class Out implements AnswerOut {
  readonly state: StreamState
  private readonly options: AnswerOutOptions
  private readonly encoder: Encoder
  private readonly assembler: Assembler
  private readonly check: Check
  private readonly stream: ClientStream
  private readonly offDrain: () => void
  /** What waits: mostly it is one frame, or none. */
  private first: Written | undefined
  private others: Written[] = NOTHING
  private bytesOut = 0
  private isPaused = false
  private isHeard = false
  private isEnded = false

  constructor(options: AnswerOutOptions) {
    this.options = options
    this.encoder = options.wire.createEncoder(options.encoder)
    this.assembler = createAssembler()
    this.state = this.assembler.state
    this.check = createCheck(options.wire, options.isChecked)
    this.stream = createClientStream(options.response)
    this.offDrain = this.stream.onDrain(() => {
      if (!this.isPaused) return
      this.isPaused = false
      options.onResume()
    })
  }

  emit(event: StreamEvent): readonly Written[] {
    this.assembler.apply(event)
    const frames = this.encoder.push(event)
    for (const frame of frames) this.put(frame)
    if (event.type === 'message-stop' || event.type === 'error')
      this.isHeard ||= !this.options.client.hasLeft
    return frames
  }

  add(bytes: Uint8Array): void {
    this.put(bytes)
  }

  note(event: StreamEvent, frames: number): void {
    this.assembler.apply(event)
    this.encoder.push(event)
    this.encoder.skip(frames - 1)
  }

  skip(frames: number): void {
    this.encoder.skip(frames)
  }

  isVerbatim(): boolean {
    return this.encoder.isVerbatim
  }

  hasBegun(): boolean {
    return this.bytesOut > 0
  }

  hasWaiting(): boolean {
    return this.first !== undefined
  }

  keepalive(asEvent: boolean): void {
    this.flush()
    for (const frame of this.encoder.keepalive(asEvent)) this.put(frame)
    // An event has a number, and is missed if it is not there.
    this.write(false, UNCHECKED, asEvent)
  }

  flush(): void {
    this.write(false, this.check, true)
  }

  end(hasLeft: boolean): Delivered {
    const { encoder } = this
    const { tape } = this.options
    this.offDrain()
    if (!hasLeft) {
      for (const frame of encoder.end()) this.put(frame)
      this.write(true, this.check, true)
    }
    this.isEnded = true
    if (tape !== undefined) endTape(tape, this.bytesOut, encoder.isVerbatim)
    return {
      state: this.state,
      fault: encoder.fault,
      losses: encoder.losses(),
      violations: this.check.end(hasLeft),
      bytesOut: this.bytesOut,
      hasLeft,
      isHeard: this.isHeard,
      terminal: encoder.terminal(),
      isVerbatim: encoder.isVerbatim,
    }
  }

  /** `isKept`: whether it is part of the answer, and not just a sign of life. */
  private write(isEnd: boolean, by: Check, isKept: boolean): void {
    if (this.isEnded) return
    this.isEnded = isEnd
    const { first, others } = this
    if (first === undefined) {
      if (isEnd) this.stream.end()
      return
    }
    this.first = undefined
    this.others = NOTHING
    const waiting = others.length === 0 ? first : joined([first, ...others])
    const { tape } = this.options
    // Nobody looks at it: bytes are made of it when it leaves.
    if (typeof waiting === 'string' && !isEnd && tape === undefined && by === UNCHECKED)
      return this.sayText(waiting)
    const bytes = typeof waiting === 'string' ? Buffer.from(waiting) : waiting
    this.bytesOut += bytes.length
    by.push(bytes)
    if (tape !== undefined && isKept) tape.left(bytes)
    if (isEnd) this.stream.end(bytes)
    else if (!this.stream.write(bytes)) this.pause()
  }

  private put(frame: Written): void {
    if (this.first === undefined) this.first = frame
    else this.others = append(this.others, frame)
  }

  private sayText(text: string): void {
    const size = Buffer.byteLength(text)
    this.bytesOut += size
    if (!this.stream.writeText(text, size)) this.pause()
  }

  private pause(): void {
    if (this.isPaused) return
    this.isPaused = true
    this.options.onPause()
  }
}

const NO_BYTES = new Uint8Array(0)

function endTape(tape: Tape, bytesOut: number, isVerbatim: boolean): void {
  if (bytesOut === 0) tape.left(NO_BYTES)
  if (isVerbatim) tape.same()
}

/** All of that as one text or one buffer. */
function joined(written: readonly Written[]): Written {
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
  if (parts.length === 0) return text
  if (text !== '') parts.push(Buffer.from(text))
  const only = parts[0]
  return parts.length === 1 && only !== undefined ? only : Buffer.concat(parts)
}
