/**
 * Where the members of a JSON object stand in its bytes, so that one value can be exchanged and every
 * other byte stays as it came. Looks at the outermost object only and leaps over strings. What it finds in
 * text that is no JSON means nothing.
 */
import { SluiceError } from './sluice-error.ts'

export interface JsonMember {
  readonly name: string
  /** The bytes of the value, without the space around it. */
  readonly from: number
  readonly to: number
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const ZERO = 0x30
const NINE = 0x39

/** Deeper than anything that a client sends; a parser that follows takes a second for a million levels. */
const MAX_DEPTH = 1000
/** A million tokens of conversation have some ten thousand; a parser takes seconds for some millions. */
const MAX_VALUES = 500_000

export interface ScannedObject {
  /** Behind its opening brace. */
  readonly inside: number
  /** In their order; one that is named twice is there twice. */
  readonly members: readonly JsonMember[]
  /** Whether it is one object from the first byte to the last, as far as its outermost level shows. */
  readonly isWhole: boolean
}

/** Throws when it is too deep or too much. */
export function scanObject(bytes: Buffer): ScannedObject {
  const members: JsonMember[] = []
  const count = { values: 0 }
  const inside = skipSpace(bytes, 0) + 1
  if (bytes[inside - 1] !== OPEN_BRACE) return { inside, members, isWhole: false }
  let at = skipSpace(bytes, inside)
  while (at < bytes.length && bytes[at] === QUOTE) {
    const nameEnd = skipString(bytes, at)
    const name = readName(bytes, at, nameEnd)
    if (name === undefined) break
    const colon = skipSpace(bytes, nameEnd)
    if (bytes[colon] !== COLON) break
    const from = skipSpace(bytes, colon + 1)
    const to = skipValue(bytes, from, count)
    if (to === NO_VALUE) return { inside, members, isWhole: false }
    countOne(count)
    members.push({ name, from, to })
    at = skipSpace(bytes, to)
    if (bytes[at] !== COMMA) break
    at = skipSpace(bytes, at + 1)
    // A comma with nothing behind it.
    if (bytes[at] !== QUOTE) return { inside, members, isWhole: false }
  }
  const isWhole = bytes[at] === CLOSE_BRACE && skipSpace(bytes, at + 1) === bytes.length
  return { inside, members, isWhole }
}

/** Where the elements of the list stand that begins there, one after the other: often the first ones are enough. */
export function* elementsOf(
  bytes: Buffer,
  from: number,
): Generator<{ readonly start: number; readonly end: number }> {
  if (bytes[from] !== OPEN_BRACKET) return
  const count = { values: 0 }
  for (let at = skipSpace(bytes, from + 1); at < bytes.length && bytes[at] !== CLOSE_BRACKET;) {
    const end = skipValue(bytes, at, count)
    if (end === NO_VALUE || end === at) return
    yield { start: at, end }
    at = skipSpace(bytes, end)
    if (bytes[at] !== COMMA) return
    at = skipSpace(bytes, at + 1)
  }
}

/** The name that stands there in quotes. Of plain letters, as nearly all are, it is what it looks like. */
function readName(bytes: Buffer, from: number, to: number): string | undefined {
  for (let at = from + 1; at < to - 1; at++)
    if (PLAIN[bytes[at] ?? 0] !== 1) return parse(bytes, from, to) as string | undefined
  if (to - from < 2 || bytes[to - 1] !== QUOTE) return undefined
  return bytes.toString('latin1', from + 1, to - 1)
}

const PLAIN = new Uint8Array(256)
for (let code = 0x20; code < 0x7f; code++) if (code !== QUOTE && code !== BACKSLASH) PLAIN[code] = 1

/** The value that stands there, `undefined` where that is no JSON. Plain text and single words need no parser. */
export function readValue(bytes: Buffer, from: number, to: number): unknown {
  if (bytes[from] === QUOTE) return readName(bytes, from, to)
  const word = readWord(bytes, from, to)
  return word === undefined ? parse(bytes, from, to) : word
}

function readWord(bytes: Buffer, from: number, to: number): boolean | null | undefined {
  if (to - from !== 4 && to - from !== 5) return undefined
  return WORDS.get(bytes.toString('latin1', from, to))
}

const WORDS: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
])

function parse(bytes: Buffer, from: number, to: number): unknown {
  try {
    return JSON.parse(bytes.toString('utf8', from, to)) as unknown
  } catch {
    return undefined
  }
}

/** Bytes that can be cut without being copied. */
export interface Cuttable {
  readonly length: number
  slice(from: number, to: number): readonly Uint8Array[]
}

/** The same bytes with other values for some members, and with further members first: in pieces, one behind the other. */
export function replaceMembers(
  bytes: Cuttable,
  { inside, members }: Pick<ScannedObject, 'inside' | 'members'>,
  values: Readonly<Record<string, string>>,
): readonly Uint8Array[] {
  const encoder = new TextEncoder()
  const pieces: Uint8Array[] = []
  const known = members.filter(({ name }) => Object.hasOwn(values, name))
  const added = Object.entries(values).filter(
    ([name]) => !known.some((member) => member.name === name),
  )
  let at = 0
  if (added.length > 0) {
    const text = added.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')
    const put = encoder.encode(members.length === 0 ? text : `${text},`)
    pieces.push(...bytes.slice(0, inside), put)
    at = inside
  }
  for (const { name, from, to } of known) {
    pieces.push(...bytes.slice(at, from), encoder.encode(values[name]))
    at = to
  }
  pieces.push(...bytes.slice(at, bytes.length))
  return pieces
}

function skipSpace(bytes: Uint8Array, from: number): number {
  let at = from
  while (at < bytes.length && isSpace(bytes[at] ?? 0)) at += 1
  return at
}

const isSpace = (byte: number): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

/** Behind the string that begins at `from`. */
function skipString(bytes: Uint8Array, from: number): number {
  for (let at = from + 1; ;) {
    const quote = bytes.indexOf(QUOTE, at)
    if (quote === -1) return bytes.length
    let slashes = 0
    while (bytes[quote - 1 - slashes] === BACKSLASH) slashes += 1
    if (slashes % 2 === 0) return quote + 1
    at = quote + 1
  }
}

const NO_VALUE = -1

/** What may stand outside of strings beside brackets and commas: numbers, three words, colons and space. */
const BARE = new Uint8Array(256)
for (const sign of '0123456789+-.eEtrufalsn: \t\r\n') BARE[sign.charCodeAt(0)] = 1

/** Of those that are open: one at a time is read here. */
const open = new Uint8Array(MAX_DEPTH + 2)

/** Behind the value that begins at `from`; `NO_VALUE` where that can be no JSON. */
function skipValue(bytes: Buffer, from: number, count: { values: number }): number {
  let depth = 0
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0
    if (BARE[byte] === 1) continue
    if (byte === QUOTE) {
      at = skipString(bytes, at) - 1
      if (depth === 0) return at + 1
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      depth += 1
      open[depth] = byte
      countOne(count)
      if (depth > MAX_DEPTH)
        throw new SluiceError('too-deep', `Cannot read JSON that is nested over ${MAX_DEPTH} deep`)
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      // The end of the outer object ends a bare value.
      if (depth === 0) return bareEnd(bytes, from, at)
      // The two signs of a pair are two apart in ASCII.
      if (open[depth] !== byte - 2) return NO_VALUE
      depth -= 1
      if (depth === 0) return at + 1
    } else if (byte === COMMA) {
      if (depth === 0) return bareEnd(bytes, from, at)
      countOne(count)
    } else return NO_VALUE
  }
  return bytes.length
}

/** Of a bare value at the outermost level, which is short enough to be read. */
function bareEnd(bytes: Buffer, from: number, to: number): number {
  const end = trimEnd(bytes, to)
  if (isPlainNumber(bytes, from, end)) return end
  return readValue(bytes, from, end) === undefined ? NO_VALUE : end
}

/** Digits alone, and none that is a zero before others: that is JSON as it stands. */
function isPlainNumber(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    const byte = bytes[at] ?? 0
    if (byte < ZERO || byte > NINE) return false
  }
  return to - from === 1 || (to > from && bytes[from] !== ZERO)
}

function countOne(count: { values: number }): void {
  count.values += 1
  if (count.values > MAX_VALUES)
    throw new SluiceError('message-too-large', `Cannot read JSON of more than ${MAX_VALUES} values`)
}

function trimEnd(bytes: Uint8Array, to: number): number {
  let at = to
  while (isSpace(bytes[at - 1] ?? 0)) at -= 1
  return at
}
