/**
 * A run of frames that differ in one text alone, from the upstream's bytes to the client's: nothing is decoded and
 * nothing written anew, the text is copied as it stands between what stands around it on the other wire. Neighbours:
 * `sse/run-form.ts` knows such frames, `live.ts` begins and ends runs. What passed by is told to decoder, policies and
 * encoder afterwards, as one frame (`settled`), so that they know of it before anything else comes.
 */
import type { RunForm } from '../sse/run-form.ts'

/** More than this is told before the run goes on. */
const MAX_HELD_BYTES = 1024 * 1024

/** A class with plain fields: there is one for each block of each stream, and `take` is called for every chunk. */
export class Run {
  private readonly form: RunForm
  /** What the client's frames look like; `undefined`: as they came. */
  private readonly out: RunForm | undefined
  private readonly parts: readonly Uint8Array[]
  /** The bytes around a text and its number, together. */
  private readonly around: number
  private readonly hasNumber: boolean
  private number: number
  private readonly spans: number[] = []
  private held: Buffer = Buffer.alloc(0)
  private heldBytes = 0
  /** How many frames passed by since the last time that they were told. */
  frames = 0
  /** Whether it has ever taken one. */
  hasTaken = false
  /** What the last `take` made. */
  written: Buffer = this.held

  constructor(form: RunForm, out: RunForm | undefined) {
    this.form = form
    this.out = out
    this.parts = out?.parts() ?? []
    this.around = this.parts.reduce((sum, { length }) => sum + length, 0)
    this.hasNumber = out?.hasNumber() ?? false
    this.number = out?.number ?? 0
  }

  /** Takes the frames of this run that stand there; gives back where they end. */
  take(bytes: Buffer, at: number): number {
    const { form, spans } = this
    if (this.heldBytes > MAX_HELD_BYTES) return at
    let end = at
    let size = 0
    spans.length = 0
    while (form.match(bytes, end)) {
      spans.push(form.from, form.to)
      size += form.to - form.from
      end = form.end
    }
    if (end === at) return at
    this.hasTaken = true
    this.frames += spans.length / 2
    this.hold(bytes, size)
    this.written = this.out === undefined ? bytes.subarray(at, end) : this.write(bytes, size)
    return end
  }

  private hold(bytes: Buffer, size: number): void {
    const { spans } = this
    const needed = this.heldBytes + size
    if (needed > this.held.length) {
      const larger = Buffer.allocUnsafe(Math.max(256, needed * 2))
      this.held.copy(larger, 0, 0, this.heldBytes)
      this.held = larger
    }
    let at = this.heldBytes
    for (let index = 0; index < spans.length; index += 2) {
      const from = spans[index] ?? 0
      const to = spans[index + 1] ?? 0
      at = copy(bytes, from, to, this.held, at)
    }
    this.heldBytes = at
  }

  private write(bytes: Buffer, size: number): Buffer {
    const { spans, parts, hasNumber } = this
    const count = spans.length / 2
    const digits = hasNumber ? count * String(this.number + count).length : 0
    const out = Buffer.allocUnsafe(count * this.around + size + digits)
    let at = 0
    for (let index = 0; index < spans.length; index += 2) {
      const from = spans[index] ?? 0
      const to = spans[index + 1] ?? 0
      let part = 0
      at = put(out, at, parts[part++])
      if (hasNumber) {
        this.number += 1
        at += out.write(String(this.number), at, 'latin1')
        at = put(out, at, parts[part++])
      }
      at = copy(bytes, from, to, out, at)
      at = put(out, at, parts[part])
    }
    return at === out.length ? out : out.subarray(0, at)
  }

  /** One frame that says what all that passed by said; `undefined` when nothing did. Then the run can go on. */
  settled(): Uint8Array | undefined {
    if (this.frames === 0) return undefined
    const frame = this.form.write(this.held.subarray(0, this.heldBytes))
    this.heldBytes = 0
    this.frames = 0
    return frame
  }
}

/** A call costs more than a few bytes: nearly all pieces are a word. */
const FEW_BYTES = 64

function copy(from: Buffer, start: number, end: number, to: Buffer, place: number): number {
  if (end - start > FEW_BYTES) return place + from.copy(to, place, start, end)
  let at = place
  for (let index = start; index < end; index++) to[at++] = from[index] ?? 0
  return at
}

function put(out: Buffer, at: number, part: Uint8Array | undefined): number {
  if (part === undefined) return at
  out.set(part, at)
  return at + part.length
}
