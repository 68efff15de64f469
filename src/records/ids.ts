/**
 * Ids of records: 48 bits of time and 80 random ones in 26 characters of Crockford's alphabet, lower case. They sort by
 * the time at which they were made, those of one process also within a millisecond, and cannot be guessed from others.
 * Neighbours: `recorder.ts` gives one to each exchange. Random bytes are handed in.
 */

/** Without i, l, o and u, which are read as something else. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const HALF = 2 ** 40

/** So many random bytes, from a pool where there is one. They may be written over later. */
export type RandomBytes = (size: number) => Uint8Array

export type CreateId = (ms: number) => string

export function createIds(random: RandomBytes): CreateId {
  let lastMs = -1
  let time = ''
  let high = 0
  let low = 0
  return (ms) => {
    if (ms > lastMs) {
      lastMs = ms
      time = write(ms, 10)
      const bytes = random(10)
      high = read(bytes, 0)
      low = read(bytes, 5)
    } else {
      // The same millisecond, or a clock that was set back: it goes on behind the last, by a step that nobody knows.
      low += 1 + (read(random(5), 0) % 2 ** 32)
      if (low >= HALF) {
        low -= HALF
        high = (high + 1) % HALF
      }
    }
    return time + write(high, 8) + write(low, 8)
  }
}

const read = (bytes: Uint8Array, at: number): number =>
  (bytes[at] ?? 0) * 2 ** 32 +
  (((bytes[at + 1] ?? 0) << 24) >>> 0) +
  (((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 8) | (bytes[at + 4] ?? 0))

/** Five bits each; what is larger than its place loses its first bits. */
function write(value: number, digits: number): string {
  let text = ''
  let rest = Math.max(0, Math.floor(value))
  for (let place = 0; place < digits; place++) {
    text = ALPHABET.charAt(rest % 32) + text
    rest = Math.floor(rest / 32)
  }
  return text
}
