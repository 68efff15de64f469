/**
 * What a recorded body is by its bytes: JSON, or a stream. Neighbours: everybody here who reads one. Whether the client
 * asked for a stream says little of what an upstream sent: errors are JSON all the same.
 */
import { losesDigits, parseExactObject } from '../base/json-exact.ts'

const SPACES = new Set([0x20, 0x09, 0x0a, 0x0d])
const OPENING = new Set([0x7b, 0x5b])

/** Whether it is a JSON object or a list: no line of a stream begins so. */
export function isJsonBody(bytes: Uint8Array): boolean {
  let at = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
  while (SPACES.has(bytes[at] ?? 0)) at += 1
  return OPENING.has(bytes[at] ?? 0)
}

const decoder = new TextDecoder()

/** A sign for each byte: for searches, whose places are those of the bytes. */
export const toLatin1 = ({ buffer, byteOffset, length }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, length).toString('latin1')

export const toText = (bytes: Uint8Array): string => decoder.decode(bytes)

/**
 * More objects and lists than any conversation has. To read 20 million of them, which are in a body of the largest size,
 * takes minutes in a thread with a gigabyte of memory, and nobody can end it meanwhile.
 */
const MAX_OPENINGS = 1_000_000

function hasTooMany(bytes: Uint8Array): boolean {
  if (bytes.length <= MAX_OPENINGS) return false
  let count = 0
  for (let at = 0; at < bytes.length; at++) if (bytes[at] === 0x7b || bytes[at] === 0x5b) count++
  return count > MAX_OPENINGS
}

/** `undefined`: no JSON, or too much of it. Numbers keep their digits where they would lose some. */
export function parseBody(bytes: Uint8Array): unknown {
  if (hasTooMany(bytes)) return undefined
  const text = toText(bytes)
  try {
    return (losesDigits(text) ? parseExactObject(text) : undefined) ?? (JSON.parse(text) as unknown)
  } catch {
    return undefined
  }
}

/** One piece is not copied. */
export function joinBytes(pieces: readonly Uint8Array[]): Uint8Array {
  const [only] = pieces
  return pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces)
}
