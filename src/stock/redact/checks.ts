/**
 * A closer look at what a pattern found: digits that are no card, words that are no secret. Neighbours: `kinds.ts`
 * names them. Knows no pattern.
 */

/** As far as anybody looks: a secret shows in its beginning. */
const MAX_LOOKED_AT = 64

/** Addresses of hosts look like those of people: `git@github.com:…`, `https://name@host`. */
export const isEmail = (value: string, before: string): boolean =>
  !/^\\*(?:git|hg|svn)@/.test(value) && !/:\/\/[^\s/@]{0,160}$/.test(before)

/** The first digits of the card companies, and the check digit. Times in milliseconds begin with a 1. */
export function isCard(value: string): boolean {
  const digits = value.replace(/\D/g, '')
  return /^(?:3[04-9]|4|5[0-8]|2[2-7]|6[0-9])/.test(digits) && hasLuhn(digits)
}

function hasLuhn(digits: string): boolean {
  let sum = 0
  for (let i = 0; i < digits.length; i++) {
    const digit = digits.charCodeAt(digits.length - 1 - i) - 0x30
    const doubled = i % 2 === 1 ? digit * 2 : digit
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}

/** "Bearer authentication-is-required" are words. */
export const isMixed = (value: string): boolean => {
  const start = value.slice(0, MAX_LOOKED_AT)
  return /\d/.test(start) || (/[a-z]/.test(start) && /[A-Z]/.test(start.slice(1)))
}

/** Words about keys have no such thing in them. */
export const hasBase64 = (value: string): boolean => /[A-Za-z0-9+/]{20}/.test(value)

/** Bits per character: words of a language have about 2.5 at this length, random letters and digits over 3. */
const MIN_ENTROPY = 2.9

/** Letters and digits, mixed, and not the same few again. */
export function isRandom(value: string): boolean {
  const start = value.slice(0, MAX_LOOKED_AT)
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z0-9]/].filter((kind) => kind.test(start)).length
  return /\d/.test(start) && kinds >= 2 && entropyOf(start) >= MIN_ENTROPY
}

function entropyOf(text: string): number {
  const counts = new Map<string, number>()
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values())
    bits -= (count / text.length) * Math.log2(count / text.length)
  return bits
}
