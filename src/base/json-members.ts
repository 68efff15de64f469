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
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d

const decoder = new TextDecoder()

/** Deeper than anything that a client sends; a parser that follows takes a second for a million levels. */
const MAX_DEPTH = 1000
/** A million tokens of conversation have some ten thousand; a parser takes seconds for some millions. */
const MAX_VALUES = 500_000

/** The members in their order; one that is named twice is there twice. Throws when it is too deep or too much. */
export function findMembers(bytes: Uint8Array): readonly JsonMember[] {
  const members: JsonMember[] = []
  const count = { values: 0 }
  let at = skipSpace(bytes, 0)
  if (bytes[at] !== OPEN_BRACE) return members
  at = skipSpace(bytes, at + 1)
  while (at < bytes.length && bytes[at] === QUOTE) {
    const nameEnd = skipString(bytes, at)
    const name = readName(bytes.subarray(at, nameEnd))
    if (name === undefined) break
    const from = skipSpace(bytes, skipSpace(bytes, nameEnd) + 1) // over the colon
    const to = skipValue(bytes, from, count)
    countOne(count)
    members.push({ name, from, to })
    at = skipSpace(bytes, to)
    if (bytes[at] !== COMMA) break
    at = skipSpace(bytes, at + 1)
  }
  return members
}

function readName(quoted: Uint8Array): string | undefined {
  try {
    return JSON.parse(decoder.decode(quoted)) as string
  } catch {
    return undefined
  }
}

/** The same bytes with other values for some members, and with further members first. */
export function replaceMembers(
  bytes: Uint8Array,
  members: readonly JsonMember[],
  values: Readonly<Record<string, string>>,
): Uint8Array {
  const encoder = new TextEncoder()
  const pieces: Uint8Array[] = []
  const known = members.filter(({ name }) => Object.hasOwn(values, name))
  const added = Object.entries(values).filter(
    ([name]) => !known.some((member) => member.name === name),
  )
  const start = skipSpace(bytes, 0) + 1
  let at = 0
  if (added.length > 0) {
    const text = added.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')
    pieces.push(bytes.subarray(0, start), encoder.encode(members.length === 0 ? text : `${text},`))
    at = start
  }
  for (const { name, from, to } of known) {
    pieces.push(bytes.subarray(at, from), encoder.encode(values[name]))
    at = to
  }
  pieces.push(bytes.subarray(at))
  return concat(pieces)
}

function concat(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
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

/** Behind the value that begins at `from`. */
function skipValue(bytes: Uint8Array, from: number, count: { values: number }): number {
  let depth = 0
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === QUOTE) {
      at = skipString(bytes, at) - 1
      if (depth === 0) return at + 1
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      depth += 1
      countOne(count)
      if (depth > MAX_DEPTH)
        throw new SluiceError('too-deep', `Cannot read JSON that is nested over ${MAX_DEPTH} deep`)
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      // The end of the outer object ends a bare value.
      if (depth === 0) return trimEnd(bytes, at)
      depth -= 1
      if (depth === 0) return at + 1
    } else if (byte === COMMA) {
      if (depth === 0) return trimEnd(bytes, at)
      countOne(count)
    }
  }
  return bytes.length
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
