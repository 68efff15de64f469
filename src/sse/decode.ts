/**
 * Bytes to frames: a push parser for server-sent events. Neighbours: `frame.ts` is what it makes,
 * `wire/` takes the frames. Knows the SSE grammar and nothing else.
 *
 * Each buffer is turned into text once, and lines are looked for in the text, where the engine's own
 * search is fastest. Where all bytes of a buffer are ASCII, places in the text are places in the
 * bytes. Where not, line ends are counted: a line feed is never part of a longer UTF-8 sequence, so
 * the n-th one of the text is the n-th one of the bytes, however broken the rest is.
 * Hand-tuned: `bench/core.ts`.
 */
import { createFragments, type Fragments } from '../base/fragments.ts'
import { SluiceError } from '../base/sluice-error.ts'
import type { Stage } from '../base/stage.ts'
import { Frame } from './frame.ts'
import { HeldBytes } from './held-bytes.ts'
import {
  blankLineEnd,
  COLON,
  concat,
  isDataField,
  isEventField,
  LF,
  nextLineEnd,
  sequenceCutAt,
} from './places.ts'

export interface FrameLimits {
  /** The most bytes that one frame may have. Base64 images travel in one frame, so it is generous. */
  readonly maxFrameBytes?: number
}

export const MAX_FRAME_BYTES = 32 * 1024 * 1024

const BOM = 0xfeff
const NO_BYTES: Uint8Array = new Uint8Array(0)
const NO_FRAMES: Frame[] = []
/** One for all: what a buffer cuts in two is kept here, so that it remembers nothing. To make one takes microseconds. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
/** A field of SSE and its value; one space behind the colon is not part of it. */
const FIELD = /^(data|event|id|retry)(?::[ ]?(.*))?$/s
const LINE_END = /[\r\n]/g
/** Up to so many pieces of a line are simply joined; more of them would keep a string object each. */
const FEW_PIECES = 64

/**
 * A stage that turns the bytes of an SSE body, cut anywhere, into its frames. The frames' raw bytes
 * are views of the buffers pushed in, so a buffer must not be written to again.
 */
export const createFrameDecoder = (limits: FrameLimits = {}): Stage<Uint8Array, Frame> =>
  new FrameDecoder(limits.maxFrameBytes ?? MAX_FRAME_BYTES)

/** A class, and not functions around what they share: an answer has up to three of them, for as long as it takes. */
class FrameDecoder implements Stage<Uint8Array, Frame> {
  private readonly held = new HeldBytes()

  // The buffer at hand, and where we are in it.
  private chunk: Uint8Array = NO_BYTES
  private text = ''
  private isAligned = true // places in the text are places in the bytes
  private hasCr = false
  private textAt = 0 // where the current line begins in the text
  private frameTextAt = 0 // where the current frame begins in the text
  private frameAt = 0 // the same place in the bytes
  private crAt = 0 // with a CR about: where the last line ended in the bytes
  private frames: Frame[] = []

  // What outlives a buffer.
  private isFirstLine = true
  private tail = NO_BYTES // the beginning of a UTF-8 sequence that the last buffer cut in two
  private isAfterCr = false // it ended with CR: an LF that follows is part of the same line end
  private line = '' // the beginning of a line that goes on
  private linePieces = 0
  private longLine: Fragments | undefined // the same, once it has come in many pieces
  private event: string | undefined
  private data: string | undefined
  private stray: string | undefined

  private readonly maxFrameBytes: number

  constructor(maxFrameBytes: number) {
    this.maxFrameBytes = maxFrameBytes
  }

  // Both work without their object, as those of all stages do.
  readonly push = (bytes: Uint8Array): readonly Frame[] => {
    const joined = this.tail.length === 0 ? bytes : concat(this.tail, bytes)
    const cut = sequenceCutAt(joined)
    if (cut === joined.length) {
      this.tail = NO_BYTES
      return this.read(joined)
    }
    this.tail = joined.subarray(cut)
    return this.read(joined.subarray(0, cut))
  }

  readonly end = (): readonly Frame[] => {
    const out = [...this.read(this.tail)]
    this.tail = NO_BYTES
    this.chunk = NO_BYTES
    this.text = ''
    this.textAt = this.frameAt = this.frameTextAt = this.crAt = 0
    this.frames = []
    if (this.isAfterCr) {
      this.isAfterCr = false
      this.endLine(0, 0)
    }
    if (this.held.length > 0) {
      if (this.line !== '') this.readHeldLine()
      this.endFrame(0, false)
    }
    return [...out, ...this.frames]
  }

  /** Reads the line that lies in `source` between two places. */
  private readLine(source: string, start: number, end: number): void {
    let from = start
    if (this.isFirstLine) {
      this.isFirstLine = false
      if (source.charCodeAt(from) === BOM) from += 1
    }
    const first = source.charCodeAt(from)
    if (first === COLON || from === end) return
    if (isDataField(source, from) && from + 6 <= end) {
      this.addData(source.slice(from + 6, end))
      return
    }
    if (isEventField(source, from) && from + 7 <= end) {
      this.event = source.slice(from + 7, end)
      return
    }
    this.readOddLine(source.slice(from, end))
  }

  private addData(value: string): void {
    this.data = this.data === undefined ? value : `${this.data}\n${value}`
  }

  /** A line without the space behind the colon, or without the colon, or of another field. */
  private readOddLine(whole: string): void {
    const [, name, value = ''] = FIELD.exec(whole) ?? []
    if (name === 'data') this.addData(value)
    else if (name === 'event') this.event = value
    else if (name === undefined)
      this.stray = this.stray === undefined ? whole : `${this.stray}\n${whole}`
  }

  private readHeldLine(): void {
    const whole = this.longLine === undefined ? this.line : this.longLine.toString()
    this.line = ''
    this.linePieces = 0
    this.longLine = undefined
    this.readLine(whole, 0, whole.length)
  }

  private holdLine(piece: string): void {
    if (this.longLine !== undefined) {
      this.longLine.add(piece)
    } else {
      this.line += piece
      this.linePieces += 1
      if (this.linePieces > FEW_PIECES) this.longLine = createFragments(this.line)
    }
  }

  /** A line ends at `end` in the text, its line ending is `width` long. A blank one ends the frame. */
  private endLine(end: number, width: number): void {
    if (this.hasCr && !this.isAligned && width > 0)
      this.crAt = nextLineEnd(this.chunk, this.crAt) + width
    const isBlank = this.line === '' && end === this.textAt
    if (this.line !== '') {
      this.holdLine(this.text.slice(this.textAt, end))
      this.readHeldLine()
    } else if (!isBlank) {
      this.readLine(this.text, this.textAt, end)
    }
    this.textAt = end + width
    if (isBlank) {
      this.isFirstLine = false
      this.endFrame(this.frameEnd())
    }
  }

  /** Where the frame that ends at `textAt` in the text ends in the bytes. */
  private frameEnd(): number {
    if (this.isAligned) return this.textAt
    return this.hasCr
      ? this.crAt
      : blankLineEnd(this.chunk, this.frameAt, this.textAt - this.frameTextAt)
  }

  private endFrame(end: number, isEnded = true): void {
    this.checkSize(this.held.length + end - this.frameAt)
    const isOdd = this.held.length > 0 || this.stray !== undefined || !isEnded
    const before = isOdd && this.held.length > 0 ? this.held.take() : undefined
    const odd = isOdd ? { stray: this.stray, isEnded, before } : undefined
    this.frames.push(new Frame(this.event, this.data, this.chunk, this.frameAt, end, odd))
    this.frameAt = end
    this.frameTextAt = this.textAt
    this.event = undefined
    this.data = undefined
    this.stray = undefined
  }

  private readLines(): void {
    for (;;) {
      const isAtFrame =
        this.textAt === this.frameTextAt && this.line === '' && this.held.length === 0
      if (isAtFrame && !this.isFirstLine) this.readPlainFrames()
      const end = this.text.indexOf('\n', this.textAt)
      if (end === -1) return
      this.endLine(end, 1)
    }
  }

  /**
   * As many frames as stand here in the form that almost all have: perhaps an event line, one data
   * line, a blank line. The same as `endLine` would make of them, with one search per frame; it stops
   * at the first that is different.
   */
  private readPlainFrames(): void {
    const source = this.text
    let at = this.textAt
    let bytesAt = this.frameAt
    for (;;) {
      let name: string | undefined
      let from = at
      if (isEventField(source, from)) {
        const end = source.indexOf('\n', from)
        if (end === -1) break
        name = source.slice(from + 7, end)
        from = end + 1
      }
      if (!isDataField(source, from)) break
      const end = source.indexOf('\n', from + 6)
      if (end === -1 || source.charCodeAt(end + 1) !== LF) break
      const bytesEnd = this.isAligned ? end + 2 : blankLineEnd(this.chunk, bytesAt, end + 2 - at)
      if (bytesEnd - bytesAt > this.maxFrameBytes) break
      this.frames.push(
        new Frame(name, source.slice(from + 6, end), this.chunk, bytesAt, bytesEnd, undefined),
      )
      at = end + 2
      bytesAt = bytesEnd
    }
    this.textAt = this.frameTextAt = at
    this.frameAt = bytesAt
  }

  /** As `readLines`, for text that has a CR: alone it ends a line too, and it may stand last. */
  private readMixedLines(): void {
    for (;;) {
      LINE_END.lastIndex = this.textAt
      const end = LINE_END.exec(this.text)?.index ?? -1
      if (end === -1) return
      if (this.text.charCodeAt(end) === LF) {
        this.endLine(end, 1)
      } else if (end + 1 < this.text.length) {
        this.endLine(end, this.text.charCodeAt(end + 1) === LF ? 2 : 1)
      } else {
        this.isAfterCr = true
        this.holdLine(this.text.slice(this.textAt, end))
        this.textAt = this.text.length
        return
      }
    }
  }

  private checkSize(bytes: number): void {
    if (bytes <= this.maxFrameBytes) return
    throw new SluiceError(
      'frame-too-large',
      `Cannot hold a frame over ${this.maxFrameBytes} bytes: got ${bytes}`,
    )
  }

  private read(bytes: Uint8Array): readonly Frame[] {
    this.chunk = bytes
    this.text = decoder.decode(bytes)
    this.isAligned = this.text.length === bytes.length
    this.hasCr = this.text.includes('\r')
    this.textAt = 0
    this.frameTextAt = 0
    this.frameAt = 0
    this.crAt = 0
    this.frames = []
    if (this.isAfterCr && this.text !== '') {
      this.isAfterCr = false
      this.hasCr = true // a line end without a byte of its own here: places are found the slow way
      this.endLine(0, this.text.charCodeAt(0) === LF ? 1 : 0)
    }
    if (this.hasCr) this.readMixedLines()
    else this.readLines()
    if (this.textAt < this.text.length)
      this.holdLine(this.textAt === 0 ? this.text : this.text.slice(this.textAt))
    if (this.frameAt < this.chunk.length) {
      this.checkSize(this.held.length + this.chunk.length - this.frameAt)
      this.held.add(this.chunk, this.frameAt)
    }
    const { frames } = this
    // Until the next buffer comes nothing of this one is needed, and that may take long.
    this.chunk = NO_BYTES
    this.text = ''
    this.frames = NO_FRAMES
    return frames
  }
}
