/**
 * A text from outside → one that may stand in a log or a span: bounded, on one line, without control
 * characters, and redacted. Neighbours: `log.ts`, `trace.ts`; `redact.ts` masks. Knows no report.
 */
import { redact } from './redact.ts'

/** Cleans a text and cuts it to so many characters. */
export type Clean = (text: string, max: number) => string

/** The longest text that is looked at: a body of megabytes in an error costs no more than this. */
const LOOKED_AT = 4000

/** More than the beginning of any credential that is too short to be seen as one where the text was cut. */
const UNSURE = 64

// Controls and escapes of terminals, also the eight-bit ones; invisible and direction-changing
// characters; line separators; halves of characters.
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu

/** Without redaction it still bounds and escapes. */
export function createClean(isRedacting: boolean): Clean {
  return (text, max) => {
    const isCut = text.length > LOOKED_AT
    const start = isCut ? text.slice(0, LOOKED_AT) : text
    const masked = isRedacting ? redact(start) : start
    const sure = isCut ? masked.slice(0, -UNSURE) : masked
    const safe = sure.replace(UNSAFE, toEscape)
    if (safe.length > max) return `${cut(safe, max - 1)}…`
    return isCut ? `${safe}…` : safe
  }
}

const toEscape = (character: string): string => {
  if (character === '\n') return '\\n'
  return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`
}

/** Cuts between characters and not within one. */
function cut(text: string, length: number): string {
  const last = text.charCodeAt(length - 1)
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? length - 1 : length)
}
