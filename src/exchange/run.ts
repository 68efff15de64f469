/**
 * A run of frames that differ in one text alone, from the upstream's bytes to the client's: nothing is decoded and
 * nothing written anew, the text is copied as it stands between what stands around it on the other wire. Neighbours:
 * `sse/run-form.ts` knows such frames, `read-frames.ts` begins and ends runs. What passed by is told to decoder, policies and
 * encoder afterwards, at once (`settle`), so that they know of it before anything else comes.
 */
import { append, NOTHING } from '../base/few.ts'
import type { EventOf, StreamEvent } from '../event/event.ts'
import { Frame } from '../sse/frame.ts'
import { readPiece, type RunForm } from '../sse/run-form.ts'
import type { Stage } from '../base/stage.ts'
import type { Decoder } from '../wire/wire.ts'
import { toOwnPieces } from './own-bytes.ts'

/** More than this is told before the run goes on. */
const MAX_HELD_BYTES = 1024 * 1024

/** A paragraph: memory of its own costs more to get than to have. */
const FIRST_ROOM = 512

/** What the client's frames look like around a text, and around its number where they have one. */
export interface OwnForm {
  readonly before: Buffer
  readonly between: Buffer | undefined
  readonly after: Buffer
  /** Of the frame that it was read from. */
  readonly number: number
}

const NUMBER = /"sequence_number":(\d{1,15})/

/** The form of a frame that we wrote ourselves around that text; `undefined` where the text stands twice. */
export function readOwnForm(frame: string, text: string): OwnForm | undefined {
  const literal = JSON.stringify(text)
  const at = frame.indexOf(literal)
  if (at === -1 || frame.includes(literal, at + 1)) return undefined
  const head = frame.slice(0, at + 1)
  const tail = frame.slice(at + literal.length - 1)
  const found = NUMBER.exec(head)
  if (found?.[1] === undefined) {
    const [before, after] = toOwnPieces(head, tail)
    return { before, between: undefined, after, number: 0 }
  }
  const digitsAt = found.index + found[0].length - found[1].length
  const behind = digitsAt + found[1].length
  const [before, between, after] = toOwnPieces(head.slice(0, digitsAt), head.slice(behind), tail)
  return { before, between, after, number: Number(found[1]) }
}

/** What a frame said, if that was a piece of a block and nothing else: neither at once nor later. */
export function lonePieceOf(events: readonly StreamEvent[]): EventOf<'block-delta'> | undefined {
  const [event] = events
  const isLone = events.length === 1 && event?.step?.events.length === 1
  return isLone && event.type === 'block-delta' ? event : undefined
}

const NO_BYTES = Buffer.alloc(0)

/** A class with plain fields: there is one for each block of each stream, and `take` is called for every chunk. */
export class Run {
  private readonly form: RunForm
  /** What the client's frames look like; `undefined`: as they came. */
  private readonly out: OwnForm | undefined
  private number: number
  private held: Buffer = NO_BYTES
  private heldBytes = 0
  /** How many frames passed by since the last time that they were told. */
  frames = 0
  /** Whether it has ever taken one. */
  hasTaken = false
  private written: Buffer = NO_BYTES

  /** Whether nothing leaves: the bytes wait, and go on with the frame that stands for them. */
  readonly isGathered: boolean
  private raw: Buffer[] = NOTHING
  private rawBytes = 0

  constructor(form: RunForm, out: OwnForm | undefined, isGathered = false) {
    this.form = form
    this.isGathered = isGathered
    this.out = out
    this.number = out?.number ?? 0
  }

  /** Takes the frames of this run that stand there; gives back where they end. */
  take(bytes: Buffer, at: number): number {
    const { form } = this
    if (this.heldBytes > MAX_HELD_BYTES || this.rawBytes > MAX_HELD_BYTES) return at
    if (!form.match(bytes, at)) return at
    this.hasTaken = true
    // A model's frames mostly come one by one.
    const end = form.end === bytes.length ? this.takeOne(bytes) : this.takeSeveral(bytes)
    if (this.isGathered) {
      this.raw = append(this.raw, part(bytes, at, end))
      this.rawBytes += end - at
    } else if (this.out === undefined) this.written = part(bytes, at, end)
    return end
  }

  /** What the last `take` made, for whoever sends it. */
  taken(): Buffer {
    const { written } = this
    this.written = NO_BYTES
    return written
  }

  private takeOne(bytes: Buffer): number {
    const { from, to, end } = this.form
    this.frames += 1
    this.makeRoom(to - from)
    this.heldBytes = copy(bytes, from, to, this.held, this.heldBytes)
    if (this.out !== undefined) {
      const made = Buffer.allocUnsafe(this.sizeAround(this.out, 1) + to - from)
      this.written = whole(made, this.write(this.out, { bytes, from, to }, made, 0))
    }
    return end
  }

  private takeSeveral(bytes: Buffer): number {
    const { form, out } = this
    const spans: number[] | undefined = out === undefined ? undefined : []
    let size = 0
    let { end } = form
    do {
      const { from, to } = form
      spans?.push(from, to)
      size += to - from
      this.frames += 1
      this.makeRoom(to - from)
      this.heldBytes = copy(bytes, from, to, this.held, this.heldBytes)
      end = form.end
    } while (form.match(bytes, end))
    if (out !== undefined && spans !== undefined)
      this.written = this.writeAll(out, bytes, spans, size)
    return end
  }

  private writeAll(out: OwnForm, bytes: Buffer, spans: readonly number[], size: number): Buffer {
    const made = Buffer.allocUnsafe(this.sizeAround(out, spans.length / 2) + size)
    let place = 0
    for (let index = 0; index < spans.length; index += 2) {
      const from = spans[index] ?? 0
      const to = spans[index + 1] ?? 0
      place = this.write(out, { bytes, from, to }, made, place)
    }
    return whole(made, place)
  }

  private makeRoom(size: number): void {
    const needed = this.heldBytes + size
    if (needed <= this.held.length) return
    // A piece of Node's pool keeps all of that alive, for as long as the block grows.
    const larger = Buffer.allocUnsafeSlow(Math.max(FIRST_ROOM, needed * 2))
    this.held.copy(larger, 0, 0, this.heldBytes)
    this.held = larger
  }

  /** What so many frames take beside their pieces, at most. */
  private sizeAround({ before, between, after }: OwnForm, count: number): number {
    const digits = between === undefined ? 0 : digitsOf(this.number + count) + between.length
    return count * (before.length + digits + after.length)
  }

  private write(
    { before, between, after }: OwnForm,
    { bytes, from, to }: { readonly bytes: Buffer; readonly from: number; readonly to: number },
    out: Buffer,
    place: number,
  ): number {
    let at = put(out, place, before)
    if (between !== undefined) {
      this.number += 1
      at = putNumber(out, at, this.number)
      at = put(out, at, between)
    }
    at = copy(bytes, from, to, out, at)
    return put(out, at, after)
  }

  /**
   * What passed by, as events: as more of what the decoder heard last where it can be told so, and else as one frame that it
   * reads. Then the run can go on.
   */
  settle(framer: Stage<Uint8Array, Frame>, decoder: Decoder): readonly StreamEvent[] {
    if (this.frames === 0) return []
    const piece = this.held.subarray(0, this.heldBytes)
    const raw = this.raw.length === 1 ? (this.raw[0] ?? NO_BYTES) : Buffer.concat(this.raw)
    const odd = this.isGathered ? { frames: this.frames } : undefined
    this.raw = NOTHING
    this.rawBytes = 0
    this.heldBytes = 0
    this.frames = 0
    if (decoder.again !== undefined)
      return decoder.again(
        readPiece(piece),
        new Frame(undefined, undefined, raw, 0, raw.length, odd),
      )
    const events: StreamEvent[] = []
    for (const { event, data } of framer.push(this.form.write(piece)))
      events.push(...decoder.push(new Frame(event, data, raw, 0, raw.length, odd)))
    return events
  }
}

/** A call costs more than a few bytes: nearly all pieces are a word. */
const FEW_BYTES = 64
const ZERO = 0x30

function copy(from: Buffer, start: number, end: number, to: Buffer, place: number): number {
  if (end - start > FEW_BYTES) return place + from.copy(to, place, start, end)
  let at = place
  for (let index = start; index < end; index++) to[at++] = from[index] ?? 0
  return at
}

function put(out: Buffer, at: number, piece: Buffer): number {
  out.set(piece, at)
  return at + piece.length
}

function digitsOf(number: number): number {
  let digits = 1
  for (let rest = number; rest >= 10; rest /= 10) digits += 1
  return digits
}

function putNumber(out: Buffer, at: number, number: number): number {
  const end = at + digitsOf(number)
  let rest = number
  for (let place = end - 1; place >= at; place--) {
    out[place] = ZERO + (rest % 10)
    rest = Math.floor(rest / 10)
  }
  return end
}

const part = (bytes: Buffer, from: number, to: number): Buffer =>
  from === 0 && to === bytes.length ? bytes : bytes.subarray(from, to)

const whole = (made: Buffer, size: number): Buffer => part(made, 0, size)
