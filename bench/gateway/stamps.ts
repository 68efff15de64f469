/**
 * Times inside of frames: the upstream writes when it sent one, the client reads how long it took. Neighbours:
 * `upstream.ts` writes them, `load.ts` reads them. Letters and no digits, because digits look like card numbers to a
 * policy that looks for those.
 */

/** What a stamp begins with; nothing else in the answers has it. */
const MARK = '~'
export const STAMP_MARK = MARK.charCodeAt(0)
/** Nanoseconds of the system's steady clock, which all processes share. */
const LETTERS = 18
const FIRST_LETTER = 'a'.charCodeAt(0)
const FIRST_DIGIT = '0'.charCodeAt(0)

/** Room for one. */
export const EMPTY_STAMP = MARK + 'a'.repeat(LETTERS)

const now = (): number => Number(process.hrtime.bigint())

/** Writes the time into a frame that has room for it there. */
export function writeStamp(bytes: Buffer, at: number): void {
  const digits = String(now()).padStart(LETTERS, '0')
  for (let i = 0; i < LETTERS; i++)
    bytes[at + 1 + i] = digits.charCodeAt(i) - FIRST_DIGIT + FIRST_LETTER
}

export interface StampReader {
  /** Notes the milliseconds between each new stamp that is whole in this piece, and now. */
  read(piece: Buffer, delays: number[]): void
}

/** One per stream: some wires say the whole text again at its end, and a stamp counts the first time only. */
export function createStampReader(): StampReader {
  let last = 0
  return {
    read(piece, delays) {
      const time = now()
      for (let at = piece.indexOf(STAMP_MARK); at !== -1; at = piece.indexOf(STAMP_MARK, at + 1)) {
        const stamp = readStamp(piece, at + 1)
        if (stamp === undefined || stamp <= last) continue
        last = stamp
        delays.push((time - stamp) / 1e6)
      }
    },
  }
}

function readStamp(piece: Buffer, at: number): number | undefined {
  let value = 0
  for (let i = 0; i < LETTERS; i++) {
    const digit = (piece[at + i] ?? 0) - FIRST_LETTER
    if (digit < 0 || digit > 9) return undefined
    value = value * 10 + digit
  }
  return value
}
