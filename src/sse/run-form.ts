/**
 * What the frames of a run have in common. A model says a text in hundreds of frames that are alike but for one JSON
 * string; once one of them has been read, the next are known by their bytes, and the string can be taken as it stands.
 * Neighbours: a run in `exchange/` compares and copies; decoders read what is not alike. Knows JSON and no vendor.
 *
 * A frame is of the form only if everything outside of the string is the same, byte for byte, and the string is one that
 * JSON allows: nothing else can hide in it.
 */

/** A place in a frame that may differ from frame to frame. */
type Hole = 'piece' | 'echo' | 'text' | 'number' | 'spaces'

export interface FormKeys {
  /** Members whose value is the piece. */
  readonly piece: readonly string[]
  /** Members that may say the piece again, in the same letters. */
  readonly echoes?: readonly string[]
  /** Members that say nothing, and differ: padding, numbers. */
  readonly texts?: readonly string[]
  readonly numbers?: readonly string[]
  /** The same, but only where they are members of the whole: deeper in, those names say something. */
  readonly topTexts?: readonly string[]
  /** Whether spaces stand before the last brace, now more and now fewer. */
  readonly isPadded?: boolean
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const LETTER_U = 0x75
const COLON = 0x3a
const SPACE = 0x20
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const OPENERS: ReadonlySet<number> = new Set([OPEN_BRACE, 0x5b])
const CLOSERS: ReadonlySet<number> = new Set([CLOSE_BRACE, 0x5d])
const ZERO = 0x30
const NINE = 0x39

/** What stands between holes, also in words of four bytes: to compare these takes a third of the time. */
interface Literal {
  readonly bytes: Uint8Array
  readonly words: Int32Array
}

/** A copy: the frame that it stands in is a part of all that was read with it. */
function toLiteral(frame: Uint8Array, from: number, to: number): Literal {
  const bytes = Uint8Array.from(frame.subarray(from, to))
  const view = new DataView(bytes.buffer)
  const words = Int32Array.from({ length: bytes.length >> 2 }, (_, at) =>
    view.getInt32(at * 4, true),
  )
  return { bytes, words }
}

/** A class with plain fields: `match` is called for every frame of a run, and gives its findings in these. */
export class RunForm {
  private readonly literals: readonly Literal[]
  private readonly holes: readonly Hole[]
  /** Where the piece of the last frame that matched lies, without its quotes. */
  from = 0
  to = 0
  /** Where that frame ended. */
  end = 0

  constructor(literals: readonly Literal[], holes: readonly Hole[]) {
    this.literals = literals
    this.holes = holes
  }

  /** Whether all of that is a frame of this form, and its piece says that text. */
  says(frame: Uint8Array, text: string): boolean {
    return (
      this.match(frame, 0) &&
      this.end === frame.length &&
      readString(frame, this.from, this.to) === text
    )
  }

  /**
   * Whether a frame of this form begins there. An empty piece is none: decoders treat that as nothing.
   */
  match(bytes: Uint8Array, at: number): boolean {
    const { literals, holes } = this
    if (bytes.buffer !== viewed.buffer) viewed = new DataView(bytes.buffer)
    let place = at
    // Where the text stood first that must stand in all of its places.
    let said = -1
    let saidEnd = -1
    for (let part = 0; part < literals.length; part++) {
      const literal = literals[part]
      if (literal === undefined || !stands(literal, bytes, place)) return false
      place += literal.bytes.length
      const hole = holes[part]
      if (hole === undefined) break
      const end = holeEnd(hole, bytes, place)
      if (end === -1) return false
      if (hole === 'piece') {
        // Nor the second half of a letter: what stands alone is broken, and must not become whole with another piece.
        if (end === place || isContinuation(bytes[place])) return false
        this.from = place
        this.to = end
      }
      if (hole === 'piece' || hole === 'echo') {
        if (said !== -1 && !isSame(bytes, said, saidEnd, place, end)) return false
        said = place
        saidEnd = end
      }
      place = end
    }
    this.end = place
    return true
  }

  /** A frame of this form with that piece. */
  write(piece: Uint8Array): Uint8Array {
    const fillings = this.holes.map((hole) =>
      hole === 'piece' || hole === 'echo' ? piece : FILLINGS[hole],
    )
    let size = 0
    for (const { bytes } of this.literals) size += bytes.length
    for (const { length } of fillings) size += length
    const out = new Uint8Array(size)
    let at = 0
    this.literals.forEach(({ bytes }, part) => {
      out.set(bytes, at)
      at += bytes.length
      const filling = fillings[part]
      if (filling === undefined) return
      out.set(filling, at)
      at += filling.length
    })
    return out
  }
}

/**
 * The block that was looked at last, in words. Frames that come one by one lie in blocks of some kilobytes, twenty and more in
 * each, and a view of one costs as much as to look at a frame.
 */
let viewed: DataView = new DataView(new ArrayBuffer(0))

/** Whether that stands there, in bytes of the block that is viewed. */
function stands({ bytes: wanted, words }: Literal, bytes: Uint8Array, place: number): boolean {
  if (place + wanted.length > bytes.length) return false
  const from = bytes.byteOffset + place
  for (let at = 0; at < words.length; at++)
    if (viewed.getInt32(from + at * 4, true) !== words[at]) return false
  for (let at = words.length * 4; at < wanted.length; at++)
    if (bytes[place + at] !== wanted[at]) return false
  return true
}

/** What stands in the other holes of a frame that is written: it says nothing to anybody. */
const FILLINGS = {
  text: new Uint8Array(0),
  number: Uint8Array.of(ZERO),
  spaces: new Uint8Array(0),
} as const

const isContinuation = (byte: number | undefined): boolean =>
  byte !== undefined && (byte & 0xc0) === 0x80

function holeEnd(hole: Hole, bytes: Uint8Array, from: number): number {
  if (hole === 'number') return numberEnd(bytes, from)
  if (hole !== 'spaces') return stringEnd(bytes, from)
  let at = from
  while (bytes[at] === SPACE) at++
  return at
}

/** Whether the same bytes stand in both places. */
function isSame(bytes: Uint8Array, from: number, to: number, other: number, end: number): boolean {
  if (to - from !== end - other) return false
  for (let at = 0; at < to - from; at++) if (bytes[from + at] !== bytes[other + at]) return false
  return true
}

/** Where a JSON string ends whose first character is at that place: at its quote, or -1. */
function stringEnd(bytes: Uint8Array, from: number): number {
  let at = from
  for (;;) {
    const byte = bytes[at]
    if (byte === undefined || byte < SPACE) return -1
    if (byte === QUOTE) return at
    at += byte === BACKSLASH ? escapeWidth(bytes, at + 1) : 1
    if (at < from) return -1
  }
}

/** How wide an escape is whose letter is at that place; far below zero when it is none. */
function escapeWidth(bytes: Uint8Array, at: number): number {
  const letter = bytes[at]
  if (letter === LETTER_U) {
    for (let digit = 1; digit <= 4; digit++) if (!isHex(bytes[at + digit])) return -Infinity
    return 6
  }
  return letter !== undefined && ESCAPES.has(letter) ? 2 : -Infinity
}

const ESCAPES: ReadonlySet<number> = new Set(Array.from('"\\/bfnrt', (one) => one.charCodeAt(0)))

const isHex = (byte: number | undefined): boolean =>
  byte !== undefined &&
  ((byte >= ZERO && byte <= NINE) ||
    (byte >= 0x41 && byte <= 0x46) ||
    (byte >= 0x61 && byte <= 0x66))

function numberEnd(bytes: Uint8Array, from: number): number {
  let at = from
  for (let byte = bytes[at]; byte !== undefined && byte >= ZERO && byte <= NINE; byte = bytes[at])
    at++
  // As the vendors write them: no sign, no fraction, and no more digits than a number has.
  return at === from || at - from > 15 ? -1 : at
}

interface Found {
  readonly hole: Hole
  readonly from: number
  readonly to: number
}

/**
 * The form of a frame in which one member of those names is a string that means `text`; `undefined` when there is none,
 * or more than one.
 */
export function learnForm(frame: Uint8Array, text: string, keys: FormKeys): RunForm | undefined {
  if (text === '') return undefined
  const found = findHoles(frame, text, keys)
  if (found?.filter(({ hole }) => hole === 'piece').length !== 1) return undefined
  const literals: Literal[] = []
  let at = 0
  for (const { from, to } of found) {
    literals.push(toLiteral(frame, at, from))
    at = to
  }
  literals.push(toLiteral(frame, at, frame.length))
  const form = new RunForm(
    literals,
    found.map(({ hole }) => hole),
  )
  return form.says(frame, text) ? form : undefined
}

function findHoles(frame: Uint8Array, text: string, keys: FormKeys): readonly Found[] | undefined {
  const found: Found[] = []
  const object = objectIn(frame)
  let depth = 0
  let at = 0
  while (at < frame.length) {
    const byte = frame[at] ?? 0
    if (byte !== QUOTE) {
      if (OPENERS.has(byte)) depth += 1
      else if (CLOSERS.has(byte)) depth -= 1
      at += 1
      continue
    }
    const end = stringEnd(frame, at + 1)
    if (end === -1) return undefined
    const value = valueAt(frame, end + 1)
    if (value === -1) {
      at = end + 1
      continue
    }
    const name = toAscii(frame, at + 1, end)
    const isTop = object !== undefined && depth === 1 && keys.topTexts?.includes(name) === true
    const hole = holeAt(frame, value, isTop ? 'text' : holeOf(name, keys))
    at = value
    if (hole === undefined) continue
    const mustSay = hole.hole === 'piece' || hole.hole === 'echo'
    if (!mustSay || readString(frame, hole.from, hole.to) === text) found.push(hole)
    at = hole.hole === 'number' ? hole.to : hole.to + 1
  }
  if (keys.isPadded === true && object !== undefined) found.push(paddingOf(frame, object.to))
  return found
}

/** Before the last brace, whether spaces stand there or not. */
function paddingOf(frame: Uint8Array, to: number): Found {
  let from = to
  while (frame[from - 1] === SPACE) from--
  return { hole: 'spaces', from, to }
}

/**
 * The object that a frame is, if all of it stands in one line of data, and nothing before that opens or closes anything: only then does
 * a count of braces say how deep a name stands, and the last brace end what is read.
 */
function objectIn(frame: Uint8Array): { readonly from: number; readonly to: number } | undefined {
  const from = frame.findIndex((byte) => OPENERS.has(byte) || CLOSERS.has(byte))
  const to = frame.lastIndexOf(CLOSE_BRACE)
  if (frame[from] !== OPEN_BRACE || frame.subarray(from, to).some(isLineEnd)) return undefined
  const line = frame.subarray(0, from).findLastIndex(isLineEnd) + 1
  return /^data: ?$/.test(toAscii(frame, line, from)) ? { from, to } : undefined
}

const isLineEnd = (byte: number): boolean => byte === 0x0a || byte === 0x0d

function holeAt(frame: Uint8Array, at: number, hole: Hole | undefined): Found | undefined {
  if (hole === undefined) return undefined
  const isText = frame[at] === QUOTE
  if (isText === (hole === 'number')) return undefined
  const from = isText ? at + 1 : at
  const to = isText ? stringEnd(frame, from) : numberEnd(frame, from)
  return to === -1 ? undefined : { hole, from, to }
}

function holeOf(name: string, { piece, echoes, texts, numbers }: FormKeys): Hole | undefined {
  if (piece.includes(name)) return 'piece'
  if (echoes?.includes(name) === true) return 'echo'
  if (texts?.includes(name) === true) return 'text'
  return numbers?.includes(name) === true ? 'number' : undefined
}

/** Where the value begins, if a colon stands there; else -1. */
function valueAt(frame: Uint8Array, from: number): number {
  let at = from
  while (frame[at] === SPACE) at += 1
  if (frame[at] !== COLON) return -1
  at += 1
  while (frame[at] === SPACE) at += 1
  return at
}

/** What is cut out of a frame may begin with the sign that a decoder takes for a mark and drops. */
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })

function readString(frame: Uint8Array, from: number, to: number): string | undefined {
  try {
    return readPiece(frame.subarray(from, to))
  } catch {
    return undefined
  }
}

/** What a piece says that stands between quotes in JSON. */
export function readPiece(piece: Uint8Array): string {
  const text = utf8.decode(piece)
  return text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text
}

function toAscii(bytes: Uint8Array, from: number, to: number): string {
  let text = ''
  for (let at = from; at < to && at < from + 64; at++) text += String.fromCharCode(bytes[at] ?? 0)
  return text
}
