/**
 * A person's pattern → RE2, which takes time in proportion to the text whatever the pattern. Neighbours: the policies
 * that take patterns, and `config/`, which says what is wrong with one at its place.
 */
import { RE2JS, RE2JSException, RE2JSSyntaxException } from 're2js'

/** More is a list of words and no pattern. */
const MAX_PATTERN_CHARS = 2000
/** What one pattern may come to: `x{1000}` is a thousand. */
const MAX_PROGRAM = 4000

export type PatternResult =
  | { readonly ok: true; readonly pattern: RE2JS }
  | { readonly ok: false; readonly message: string }

/** The pattern, or a sentence that says what to do about it. It must find at least one character. */
export function toPattern(
  source: string,
  { ignoreCase = false }: { readonly ignoreCase?: boolean | undefined } = {},
): PatternResult {
  if (source.length > MAX_PATTERN_CHARS)
    return refuse(`it takes ${MAX_PATTERN_CHARS} characters at most, not ${source.length}`)
  try {
    const pattern = RE2JS.compile(source, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0)
    if (pattern.programSize() > MAX_PROGRAM)
      return refuse('it comes to too much: repeat fewer times, or write several patterns')
    return pattern.matches('')
      ? refuse('it takes the empty text, and so would match everywhere: let it take a character')
      : { ok: true, pattern }
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error
    // Without the pattern itself: part of it may have come from a variable.
    const why = error instanceof RE2JSSyntaxException ? error.getDescription() : 'it is too large'
    return refuse(`it is no RE2 pattern: ${why}; look-around and back-references are not taken`)
  }
}

const refuse = (message: string): PatternResult => ({ ok: false, message })

const WORD_CHAR = /^\w$/

/** A word as a pattern. `isWhole`: not as a part of another word, as far as its edges are ASCII. */
export function wordToPattern(word: string, isWhole: boolean): string {
  const quoted = RE2JS.quote(word)
  if (!isWhole) return quoted
  const before = WORD_CHAR.test(word.charAt(0)) ? '\\b' : ''
  const behind = WORD_CHAR.test(word.charAt(word.length - 1)) ? '\\b' : ''
  return before + quoted + behind
}
