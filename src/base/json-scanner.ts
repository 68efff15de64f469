/**
 * Says when a JSON text that comes in pieces is over, looking at each character once. Only counts
 * brackets outside strings: what it calls over may still be no JSON. Imports nothing.
 */
export interface JsonScanner {
  /** Takes the next piece; true once the outermost bracket has closed. */
  feed(piece: string): boolean
}

export function createJsonScanner(): JsonScanner {
  let depth = 0
  let isInString = false
  let isEscaped = false
  let isOver = false
  return {
    feed(piece) {
      for (let at = 0; at < piece.length && !isOver; at++) {
        const char = piece.charCodeAt(at)
        if (isInString) {
          if (isEscaped) isEscaped = false
          else if (char === 0x5c /* \ */) isEscaped = true
          else if (char === 0x22 /* " */) isInString = false
        } else if (char === 0x22) {
          isInString = true
        } else if (char === 0x7b /* { */ || char === 0x5b /* [ */) {
          depth += 1
        } else if (char === 0x7d /* } */ || char === 0x5d /* ] */) {
          depth -= 1
          if (depth <= 0) isOver = true
        }
      }
      return isOver
    },
  }
}
