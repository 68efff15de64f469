/**
 * Text to a short number that is the same on every request and in every process: for ids and names that must be
 * made anew and still agree. No secret, and no proof of anything. Imports nothing.
 */

/** Twice 32 bits: FNV-1a, and the same with another start and another prime. */
export function hashLanes(text: string): readonly [low: number, high: number] {
  let low = 0x811c9dc5
  let high = 0x9747b28c
  for (let i = 0; i < text.length; i++) {
    low = Math.imul(low ^ text.charCodeAt(i), 0x01000193)
    high = Math.imul(high ^ text.charCodeAt(i), 0x85ebca6b)
  }
  return [low >>> 0, high >>> 0]
}

/** All 64 bits in sixteen digits, FNV-1a last. */
export function hashHex(text: string): string {
  const [low, high] = hashLanes(text)
  return toHex(high) + toHex(low)
}

const toHex = (lane: number): string => lane.toString(16).padStart(8, '0')
