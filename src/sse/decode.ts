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
import { createHeldBytes } from './held-bytes.ts'

export interface FrameLimits {
  /** The most bytes that one frame may have. Base64 images travel in one frame, so it is generous. */
  readonly maxFrameBytes?: number
}

export const MAX_FRAME_BYTES = 32 * 1024 * 1024

const LF = 10
const CR = 13
const SPACE = 0x20
const COLON = 0x3a
const LETTER_D = 0x64
const LETTER_E = 0x65
const BOM = 0xfeff
const NO_BYTES: Uint8Array = new Uint8Array(0)
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
export function createFrameDecoder(limits: FrameLimits = {}): Stage<Uint8Array, Frame> {
  const maxFrameBytes = limits.maxFrameBytes ?? MAX_FRAME_BYTES
  const held = createHeldBytes()

  // The buffer at hand, and where we are in it.
  let chunk: Uint8Array = NO_BYTES
  let text = ''
  let isAligned = true // places in the text are places in the bytes
  let hasCr = false
  let textAt = 0 // where the current line begins in the text
  let frameTextAt = 0 // where the current frame begins in the text
  let frameAt = 0 // the same place in the bytes
  let crAt = 0 // with a CR about: where the last line ended in the bytes
  let frames: Frame[] = []

  // What outlives a buffer.
  let isFirstLine = true
  let tail = NO_BYTES // the beginning of a UTF-8 sequence that the last buffer cut in two
  let isAfterCr = false // it ended with CR: an LF that follows is part of the same line end
  let line = '' // the beginning of a line that goes on
  let linePieces = 0
  let longLine: Fragments | undefined // the same, once it has come in many pieces
  let event: string | undefined
  let data: string | undefined
  let stray: string | undefined

  /** Reads the line that lies in `source` between two places. */
  function readLine(source: string, start: number, end: number): void {
    let from = start
    if (isFirstLine) {
      isFirstLine = false
      if (source.charCodeAt(from) === BOM) from += 1
    }
    const first = source.charCodeAt(from)
    if (first === COLON || from === end) return
    if (first === LETTER_D && isDataField(source, from) && from + 6 <= end) {
      addData(source.slice(from + 6, end))
      return
    }
    if (first === LETTER_E && isEventField(source, from) && from + 7 <= end) {
      event = source.slice(from + 7, end)
      return
    }
    readOddLine(source.slice(from, end))
  }

  function addData(value: string): void {
    data = data === undefined ? value : `${data}\n${value}`
  }

  /** A line without the space behind the colon, or without the colon, or of another field. */
  function readOddLine(whole: string): void {
    const [, name, value = ''] = FIELD.exec(whole) ?? []
    if (name === 'data') addData(value)
    else if (name === 'event') event = value
    else if (name === undefined) stray = stray === undefined ? whole : `${stray}\n${whole}`
  }

  function readHeldLine(): void {
    const whole = longLine === undefined ? line : longLine.toString()
    line = ''
    linePieces = 0
    longLine = undefined
    readLine(whole, 0, whole.length)
  }

  function holdLine(piece: string): void {
    if (longLine !== undefined) {
      longLine.add(piece)
    } else {
      line += piece
      linePieces += 1
      if (linePieces > FEW_PIECES) longLine = createFragments(line)
    }
  }

  /** A line ends at `end` in the text, its line ending is `width` long. A blank one ends the frame. */
  function endLine(end: number, width: number): void {
    if (hasCr && !isAligned && width > 0) crAt = nextLineEnd(chunk, crAt) + width
    const isBlank = line === '' && end === textAt
    if (line !== '') {
      holdLine(text.slice(textAt, end))
      readHeldLine()
    } else if (!isBlank) {
      readLine(text, textAt, end)
    }
    textAt = end + width
    if (isBlank) {
      isFirstLine = false
      endFrame(frameEnd())
    }
  }

  /** Where the frame that ends at `textAt` in the text ends in the bytes. */
  function frameEnd(): number {
    if (isAligned) return textAt
    return hasCr ? crAt : blankLineEnd(chunk, frameAt, textAt - frameTextAt)
  }

  function endFrame(end: number, isEnded = true): void {
    checkSize(held.length + end - frameAt)
    const isOdd = held.length > 0 || stray !== undefined || !isEnded
    const before = isOdd && held.length > 0 ? held.take() : undefined
    const odd = isOdd ? { stray, isEnded, before } : undefined
    frames.push(new Frame(event, data, chunk, frameAt, end, odd))
    frameAt = end
    frameTextAt = textAt
    event = undefined
    data = undefined
    stray = undefined
  }

  function readLines(): void {
    for (;;) {
      const isAtFrame = textAt === frameTextAt && line === '' && held.length === 0
      if (isAtFrame && !isFirstLine) readPlainFrames()
      const end = text.indexOf('\n', textAt)
      if (end === -1) return
      endLine(end, 1)
    }
  }

  /**
   * As many frames as stand here in the form that almost all have: perhaps an event line, one data
   * line, a blank line. The same as `endLine` would make of them, with one search per frame; it stops
   * at the first that is different.
   */
  function readPlainFrames(): void {
    const source = text
    let at = textAt
    let bytesAt = frameAt
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
      const bytesEnd = isAligned ? end + 2 : blankLineEnd(chunk, bytesAt, end + 2 - at)
      if (bytesEnd - bytesAt > maxFrameBytes) break
      frames.push(new Frame(name, source.slice(from + 6, end), chunk, bytesAt, bytesEnd, undefined))
      at = end + 2
      bytesAt = bytesEnd
    }
    textAt = frameTextAt = at
    frameAt = bytesAt
  }

  /** As `readLines`, for text that has a CR: alone it ends a line too, and it may stand last. */
  function readMixedLines(): void {
    for (;;) {
      LINE_END.lastIndex = textAt
      const end = LINE_END.exec(text)?.index ?? -1
      if (end === -1) return
      if (text.charCodeAt(end) === LF) {
        endLine(end, 1)
      } else if (end + 1 < text.length) {
        endLine(end, text.charCodeAt(end + 1) === LF ? 2 : 1)
      } else {
        isAfterCr = true
        holdLine(text.slice(textAt, end))
        textAt = text.length
        return
      }
    }
  }

  function checkSize(bytes: number): void {
    if (bytes <= maxFrameBytes) return
    throw new SluiceError(
      'frame-too-large',
      `Cannot hold a frame over ${maxFrameBytes} bytes: got ${bytes}`,
    )
  }

  function read(bytes: Uint8Array): readonly Frame[] {
    chunk = bytes
    text = decoder.decode(bytes)
    isAligned = text.length === bytes.length
    hasCr = text.includes('\r')
    textAt = 0
    frameTextAt = 0
    frameAt = 0
    crAt = 0
    frames = []
    if (isAfterCr && text !== '') {
      isAfterCr = false
      hasCr = true // a line end without a byte of its own here: places are found the slow way
      endLine(0, text.charCodeAt(0) === LF ? 1 : 0)
    }
    if (hasCr) readMixedLines()
    else readLines()
    if (textAt < text.length) holdLine(textAt === 0 ? text : text.slice(textAt))
    if (frameAt < chunk.length) {
      checkSize(held.length + chunk.length - frameAt)
      held.add(chunk, frameAt)
    }
    return frames
  }

  return {
    push(bytes) {
      const joined = tail.length === 0 ? bytes : concat(tail, bytes)
      const cut = sequenceCutAt(joined)
      if (cut === joined.length) {
        tail = NO_BYTES
        return read(joined)
      }
      tail = joined.subarray(cut)
      return read(joined.subarray(0, cut))
    },
    end() {
      const out = [...read(tail)]
      tail = NO_BYTES
      chunk = NO_BYTES
      text = ''
      textAt = frameAt = frameTextAt = crAt = 0
      frames = []
      if (isAfterCr) {
        isAfterCr = false
        endLine(0, 0)
      }
      if (held.length > 0) {
        if (line !== '') readHeldLine()
        endFrame(0, false)
      }
      return [...out, ...frames]
    },
  }
}

// `startsWith` with a place costs more than all of the rest together; codes are compared in line.

/** Whether `event: ` stands there. */
const isEventField = (text: string, at: number): boolean =>
  text.charCodeAt(at) === LETTER_E &&
  text.charCodeAt(at + 1) === 0x76 &&
  text.charCodeAt(at + 2) === LETTER_E &&
  text.charCodeAt(at + 3) === 0x6e &&
  text.charCodeAt(at + 4) === 0x74 &&
  text.charCodeAt(at + 5) === COLON &&
  text.charCodeAt(at + 6) === SPACE

/** Whether `data: ` stands there. */
const isDataField = (text: string, at: number): boolean =>
  text.charCodeAt(at) === LETTER_D &&
  text.charCodeAt(at + 1) === 0x61 &&
  text.charCodeAt(at + 2) === 0x74 &&
  text.charCodeAt(at + 3) === 0x61 &&
  text.charCodeAt(at + 4) === COLON &&
  text.charCodeAt(at + 5) === SPACE

/**
 * Where the blank line ends that closes the frame which begins at `from` and has that many units of
 * text. Each took at least one byte, so it is not before that many; from there on, the first line feed
 * that has another beside it is one of the two that close the frame.
 */
function blankLineEnd(bytes: Uint8Array, from: number, units: number): number {
  if (units === 1) return from + 1
  let at = bytes.indexOf(LF, from + units - 1)
  while (bytes[at - 1] !== LF && bytes[at + 1] !== LF) at = bytes.indexOf(LF, at + 1)
  return bytes[at - 1] === LF ? at + 1 : at + 2
}

function concat(first: Uint8Array, second: Uint8Array): Uint8Array {
  const whole = new Uint8Array(first.length + second.length)
  whole.set(first)
  whole.set(second, first.length)
  return whole
}

/**
 * Where a UTF-8 sequence begins that the end of the bytes cuts in two, or their length. Cutting
 * there ourselves lets us decode without `stream: true`, which on Node is some three times slower.
 */
function sequenceCutAt(bytes: Uint8Array): number {
  const length = bytes.length
  for (let back = 1; back <= 3 && back <= length; back++) {
    const byte = bytes[length - back] ?? 0
    if (byte < 0x80) return length
    if (byte < 0xc0) continue
    const width = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
    return width > back ? length - back : length
  }
  return length
}

function nextLineEnd(bytes: Uint8Array, from: number): number {
  let at = from
  while (at < bytes.length && bytes[at] !== LF && bytes[at] !== CR) at += 1
  return at
}
