/**
 * Bytes for tests: written as text, cut anywhere, put together again. Knows nothing of ours.
 */
import fc from 'fast-check'

const encoder = new TextEncoder()
const decoder = new TextDecoder()

export const toUtf8 = (text: string): Uint8Array => encoder.encode(text)

export const fromUtf8 = (bytes: Uint8Array): string => decoder.decode(bytes)

export function joinBytes(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

/**
 * The bytes in pieces, cut at those places in any order. A place that is named twice gives an empty
 * piece, as a socket may.
 */
export function cutAt(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const inside = places.map((place) => Math.min(place, bytes.length)).sort((a, b) => a - b)
  return [...inside, bytes.length].map((to, i) => bytes.slice(inside[i - 1] ?? 0, to))
}

/** The bytes in pieces of `size`, the first of which is shorter when `first` says so. */
export function cutEvery(bytes: Uint8Array, size: number, first = size): Uint8Array[] {
  const places: number[] = []
  for (let at = first; at < bytes.length; at += size) places.push(at)
  return cutAt(bytes, places)
}

/** Any way to cut those bytes. */
export const anyPlaces = (bytes: Uint8Array): fc.Arbitrary<number[]> =>
  fc.array(fc.nat(bytes.length), { maxLength: 20 })
