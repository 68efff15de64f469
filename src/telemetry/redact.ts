/**
 * A text → the same text with credentials, e-mail addresses, phone and card numbers masked, by marks that
 * say the kind: `[redacted:key]`. Neighbours: `clean.ts` uses it on every text from outside. Knows no log.
 *
 * The time is linear in the text, whatever is in it: each pattern begins with a fixed word or at the
 * beginning of a token, and either has an upper limit or asks for nothing after its open end.
 * It goes by shape, so it can miss what looks like nothing, and it may mask an innocent text that looks
 * like a phone number. Ids, dates, versions, counts, models and addresses of machines stay as they are.
 */

/** Masks what should not be written down. */
export function redact(text: string): string {
  if (!HINT.test(text)) return text
  const apart = text.replace(ESCAPES, `$&${EDGE}`)
  const masked = RULES.reduce((before, rule) => rule(before), apart)
  return apart === text ? masked : masked.replaceAll(EDGE, '')
}

type Rule = (text: string) => string

type MarkKind =
  | 'key'
  | 'token'
  | 'jwt'
  | 'private-key'
  | 'secret'
  | 'credentials'
  | 'email'
  | 'phone'
  | 'card'

const mark = (kind: MarkKind): string => `[redacted:${kind}]`

/**
 * Every text that a rule would change matches this, and most texts do not: one look instead of fourteen.
 * `redact.test.ts` checks it against all examples.
 */
const HINT =
  /@|\+\d|-----BEGIN|(?:sk|rk|pk|xai|nvapi|pplx|glpat|xox[a-z])-|(?:slc|gsk|hf|npm|r8|gh[oprsu]|pat|live|test)_|AKIA|ASIA|AIza|eyJ|bearer|basic|key|token|secret|passw|pwd|sig|auth|cookie|cred|\d{13}|\d{3}(?:\) ?|[ ./-])\d{3}|\d\d \d\d \d\d/i

// Letters that end an escape belong to no word: `\n` in JSON, `%3D` in a URL, the colours of a terminal.
const ESCAPES = /\\u[0-9a-fA-F]{4}|\\[a-z]|%[0-9a-fA-F]{2}|\p{Cc}\[[\d;]{0,12}[A-Za-z]/gu

/** Stands after each escape while the rules look: a character that no text has a use for. */
const EDGE = '\ue000'

/** Keys that say by their beginning what they are. */
const PREFIXED = [
  'sk-[\\w*-]{8,}', // OpenAI, Anthropic, many others; the stars are of keys that were masked in part
  '(?:slc|gsk|r8)_[\\w-]{8,}', // ours, Groq, Replicate
  '(?:sk|rk|pk)_(?:live|test)_\\w{8,}', // Stripe
  '(?:xai|pplx|nvapi|glpat)-[\\w-]{16,}',
  '(?:hf|npm)_[A-Za-z0-9]{16,}',
  'gh[oprsu]_[A-Za-z0-9]{16,}',
  'github_pat_\\w{16,}',
  'xox[a-z]-[A-Za-z0-9-]{8,}', // Slack
  'AIza[\\w-]{30,}', // Google
  '(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Z0-9])', // AWS
]

/** Names whose value is secret, in headers, settings and JSON. */
const SECRET_NAMES = [
  'x-api-key|x-goog-api-key|ocp-apim-subscription-key',
  'api[_-]?key|access[_-]?key(?:[_-]?id)?|secret[_-]?(?:access[_-]?)?key|private[_-]?key',
  '(?:access|refresh|auth|session|id|security)[_-]?token',
  '(?:client[_-]?)?secret|password|passwd|pwd',
  '(?:proxy-)?authorization',
].join('|')

const BEFORE_SECRET = `(?<![A-Za-z0-9])((?:${SECRET_NAMES})`

const QUOTED_SECRET = new RegExp(
  BEFORE_SECRET +
    String.raw`(?:\\?["'])? ?(?:[:=] ?\\?["']|=))(?!\[redacted:)(?:(?<=["'])[^"'\\\r\n]+|[^\s"'&;,]+)`,
  'gi',
)

const BARE_SECRET = new RegExp(
  BEFORE_SECRET + String.raw`(?:\\?["'])?: ?)(?!\[redacted:)([^\s"'&;,]{6,})`,
  'gi',
)

const RULES: readonly Rule[] = [
  maskAll(
    /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g,
    'private-key',
  ),
  // Greedy up to the last @ before the path: a password may hold one.
  (text) => text.replace(/:\/\/[^\s/?#"'<>]+@/g, `://${mark('credentials')}@`),
  maskAll(new RegExp(`(?<![A-Za-z0-9])(?:${PREFIXED.join('|')})`, 'g'), 'key'),
  maskAll(/(?<![\w-])eyJ[\w-]{8,}\.[\w-]{4,}(?:\.[\w-]*)?/g, 'jwt'),
  maskIf(/(?<![A-Za-z0-9])(Bearer +)([\w.~+/=*-]{6,})/gi, 'token', looksRandom),
  maskIf(/(?<![A-Za-z0-9])(Basic +)([A-Za-z0-9+/=]{6,})/gi, 'token', looksRandom),
  // All cookies of the header, and not the word in a sentence.
  (text) =>
    text.replace(
      /((?:set-)?cookie(?:\\?["'])?: ?(?:\\?["'])?)(?=[^\s=;"'\\]{1,100}=)[^\r\n"'\\]+/gi,
      `$1${mark('secret')}`,
    ),
  // In a URL every parameter that ends in such a word, whatever stands before it.
  (text) =>
    text.replace(
      /([?&][\w.%-]{0,60}?(?:key|token|secret|password|passwd|pwd|sig|signature|auth|credential)=)(?!\[redacted:)[^&\s#"'<>]+/gi,
      `$1${mark('secret')}`,
    ),
  // Quoted, also in JSON within JSON, or after an equals sign: whatever it is.
  (text) => text.replace(QUOTED_SECRET, `$1${mark('secret')}`),
  // After a colon and bare it may be a sentence: "password: must not be empty".
  maskIf(BARE_SECRET, 'secret', looksRandom),
  maskAll(/(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]+@(?:[\p{L}\p{N}-]+\.)+\p{L}{2,}/gu, 'email'),
  // The groups of a card: 4-4-4-4-3, 4-4-4-4, 4-6-5 and 4-6-4, or none.
  maskChecked(/(?<![\w-])\d{4}([ .-])\d{4}\1\d{4}\1\d{4}\1\d{3}(?![\w-])/g, 'card', isCard),
  maskChecked(/(?<![\w-])\d{4}([ .-])\d{4}\1\d{4}\1\d{4}(?![\w-])/g, 'card', isCard),
  maskChecked(/(?<![\w-])\d{4}([ -])\d{6}\1\d{4,5}(?![\w-])/g, 'card', isCard),
  maskChecked(/(?<![\w.-])\d{13,19}(?![\w-]|\.\d)/g, 'card', isCard),
  // International, with a plus: 8 to 15 digits.
  maskAll(/(?<![\w+.-])\+[1-9](?:[ .()/-]{0,2}\d){7,14}(?!\w)/g, 'phone'),
  // North America: (415) 555-2671, 415-555-2671, 1 415 555 2671.
  maskAll(
    /(?<![\w.+(-])(?:1[ .-])?(?:\([2-9]\d\d\) ?|[2-9]\d\d[ .-])[2-9]\d\d[ .-]\d{4}(?!\w|[.:-]\d)/g,
    'phone',
  ),
  // A leading zero and long groups, as no date has: 0171 2345678, 020 7946 0958, 06 12 34 56 78.
  maskAll(/(?<![\w.:+/-])0\d{2,4}[ /-]\d{3,4}[ -]?\d{3,5}(?![\w-]|[.:]\d)/g, 'phone'),
  maskAll(/(?<![\w.:+/-])0[1-9](?: \d\d){4}(?! ?[\w-]|[.:]\d)/g, 'phone'),
]

function maskAll(pattern: RegExp, kind: MarkKind): Rule {
  return (text) => text.replace(pattern, mark(kind))
}

/** Masks the second group of a match, if it is what it seems. */
function maskIf(pattern: RegExp, kind: MarkKind, isIt: (value: string) => boolean): Rule {
  return (text) =>
    text.replace(pattern, (whole, before: string, value: string) =>
      isIt(value) ? before + mark(kind) : whole,
    )
}

/** Masks a match that passes the check; after one that does not, looks again from its second character. */
function maskChecked(pattern: RegExp, kind: MarkKind, isIt: (match: string) => boolean): Rule {
  return (text) => {
    const pieces: string[] = []
    let done = 0
    pattern.lastIndex = 0
    for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
      if (!isIt(match[0])) {
        pattern.lastIndex = match.index + 1
        continue
      }
      pieces.push(text.slice(done, match.index), mark(kind))
      done = pattern.lastIndex
    }
    pattern.lastIndex = 0
    return pieces.length === 0 ? text : pieces.join('') + text.slice(done)
  }
}

/** "Bearer authentication" and "Basic usage" are words; a credential is long or mixed. */
function looksRandom(value: string): boolean {
  return value.length >= 20 || /\d|[a-z][A-Z]|=/.test(value)
}

/** The first digits of the card companies, and the check digit. Times in milliseconds begin with a 1. */
function isCard(match: string): boolean {
  const digits = match.replace(/\D/g, '')
  return /^(?:3[04-9]|4|5[0-8]|2[2-7]|6[0-9])/.test(digits) && hasLuhn(digits)
}

function hasLuhn(digits: string): boolean {
  let sum = 0
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i])
    const doubled = i % 2 === 1 ? digit * 2 : digit
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}
