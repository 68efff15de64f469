/**
 * Numbers that look random and are the same for the same seed. Imports nothing.
 */
export type Seeded = () => number

/** From 0 to below 1 (mulberry32). */
export function createSeeded(seed: number): Seeded {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}
