/**
 * Secrets of all kinds that `redact` knows, random texts with some of them in it, and random cuts.
 */
import fc from 'fast-check'

const ALNUM = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const DASHED = `${ALNUM}_-`
const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
const BASE64 = `${ALNUM}+/`

const of = (alphabet: string, minLength: number, maxLength = minLength): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...alphabet), minLength, maxLength })

export interface Secret {
  readonly kind: string
  readonly value: string
  /** What must stand around it. */
  readonly before?: string
  readonly behind?: string
}

const secret = (
  kind: string,
  value: fc.Arbitrary<string>,
  around: { readonly before?: string; readonly behind?: string } = {},
): fc.Arbitrary<Secret> => value.map((one) => ({ kind, value: one, ...around }))

const prefixed = (
  kind: string,
  beginning: string,
  rest: fc.Arbitrary<string>,
): fc.Arbitrary<Secret> =>
  secret(
    kind,
    rest.map((one) => beginning + one),
  )

const toPem = (type: string, lines: readonly string[]): string =>
  [`-----BEGIN ${type}PRIVATE KEY-----`, ...lines, `-----END ${type}PRIVATE KEY-----`].join('\n')

const pem = fc
  .tuple(
    fc.constantFrom('', 'RSA ', 'EC ', 'OPENSSH ', 'ENCRYPTED '),
    fc.array(of(BASE64, 64), { minLength: 1, maxLength: 30 }),
    of(BASE64, 1, 63),
  )
  .map(([type, lines, last]) => toPem(type, [...lines, `${last}=`]))

const card = fc
  .tuple(fc.constantFrom('4', '51', '37', '6011'), of('0123456789', 11, 14), fc.boolean())
  .map(([start, rest, isGrouped]) => {
    const digits = start + rest
    const body = digits.slice(0, start === '37' ? 14 : 15)
    const whole = [...'0123456789'].map((last) => body + last).find(hasLuhn) ?? ''
    return isGrouped && whole.length === 16 ? whole.replace(/(....)(?=.)/g, '$1 ') : whole
  })
  .filter((value) => value.replaceAll(' ', '').length >= 13)

function hasLuhn(digits: string): boolean {
  const sum = [...digits].reverse().reduce((total, digit, i) => {
    const value = Number(digit) * (i % 2 === 1 ? 2 : 1)
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return sum % 10 === 0
}

const SECRETS: readonly fc.Arbitrary<Secret>[] = [
  prefixed('anthropic-key', 'sk-ant-api03-', of(DASHED, 90, 95)),
  prefixed('openai-key', 'sk-proj-', of(DASHED, 40, 160)),
  prefixed('openai-key', 'sk-a1', of(ALNUM, 46)),
  prefixed('google-key', 'AIza', of(DASHED, 35)),
  prefixed('aws-key', 'AKIA', of(UPPER, 16)),
  secret('aws-secret', of(BASE64, 40), { before: 'aws_secret_access_key = ' }),
  prefixed('github-token', 'ghp_', of(ALNUM, 36)),
  prefixed('github-token', 'github_pat_', of(`${ALNUM}_`, 82)),
  prefixed('gitlab-token', 'glpat-', of(DASHED, 20)),
  prefixed('slack-token', 'xoxb-', of(`${ALNUM}-`, 40, 60)),
  prefixed('stripe-key', 'sk_live_', of(ALNUM, 24, 99)),
  prefixed('npm-token', 'npm_', of(ALNUM, 36)),
  prefixed('pypi-token', 'pypi-AgEIcHlwaS5vcmc', of(DASHED, 80, 150)),
  secret(
    'jwt',
    fc
      .tuple(of(DASHED, 20, 80), of(DASHED, 30, 400), of(DASHED, 43))
      .map(([head, body, seal]) => `eyJ${head}.eyJ${body}.${seal}`),
  ),
  secret('private-key', pem),
  secret(
    'bearer-token',
    of(ALNUM, 30, 60).map((one) => `a1${one}`),
    { before: 'Authorization: Bearer ' },
  ),
  secret(
    'password',
    of(`${ALNUM}!$%&*()`, 1, 40).map((one) => `${one}x`),
    { before: 'postgres://app:', behind: '@db.internal/main' },
  ),
  secret(
    'email',
    fc
      .tuple(
        of(`${ALNUM}.`, 1, 20),
        fc.constantFrom('example.com', 'mail.example.co.uk', 'bücher.de'),
      )
      .map(([name, host]) => `x${name}9@${host}`),
  ),
  secret('card', card),
]

const anySecret: fc.Arbitrary<Secret> = fc.oneof(...SECRETS)

/** Words and what almost is a secret; none can be part of one, since each stands between blanks. */
const FILLERS = [
  'the quick brown fox',
  'const x = compute(1, 2); // ok',
  'ünïcödé 😀 ↵',
  'sk- ghp_ AKIA eyJ xoxb-1 npm_config_cache glpat-',
  '-----BEGIN CERTIFICATE-----',
  'git@github.com:org/repo.git',
  'user@ @host a@b',
  '1731612345678 2026-11-15 0.4111111111111111',
  'task-management-system-overview-and-more',
  'https://example.com:8080/path?x=1#y',
  'Bearer authentication',
  'password: must not be empty',
  '\\n\\t{"a": "b"}',
]

const filler = fc
  .array(fc.constantFrom(...FILLERS), { maxLength: 3 })
  .map((words) => ['', ...words, ''].join(' '))

export interface Salted {
  readonly text: string
  /** The same with marks. */
  readonly hidden: string
  readonly secrets: readonly Secret[]
}

/** A text with secrets in it. */
export const saltedText = (
  maxSecrets: number,
  mark: (kind: string) => string,
): fc.Arbitrary<Salted> =>
  fc
    .tuple(filler, fc.array(fc.tuple(anySecret, filler), { maxLength: maxSecrets }))
    .map(([first, rest]) => {
      const write = (hide: (one: Secret) => string): string =>
        rest.reduce(
          (text, [one, after]) =>
            `${text} ${one.before ?? ''}${hide(one)}${one.behind ?? ''} ${after}`,
          first,
        )
      return {
        text: write(({ value }) => value),
        hidden: write(({ kind }) => mark(kind)),
        secrets: rest.map(([one]) => one),
      }
    })

/** Numbers under 1000, the same for the same seed: a text that is shrunk is cut as before. */
export function numbersOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor(state / 4_294_968)
  }
}

/** How a text is cut: in small pieces, in large ones, or at a few places. */
export const cuts: fc.Arbitrary<(text: string) => readonly string[]> = fc
  .tuple(fc.nat(), fc.constantFrom(1, 2, 4, 12, 80, 1000))
  .map(([seed, most]) => (text) => {
    const next = numbersOf(seed)
    const pieces: string[] = []
    for (let at = 0; at < text.length;) {
      const length = 1 + (next() % most)
      pieces.push(text.slice(at, at + length))
      at += length
    }
    return pieces
  })

/** A JSON string of that text, with some characters written as escapes. */
export function toEscaped(text: string, next: () => number): string {
  const chars = JSON.stringify(text)
    .slice(1, -1)
    .match(/\\u....|\\.|[^\\]/gs)
  const escape = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
  return `"${(chars ?? []).map((char) => (char.length > 1 || next() % 8 > 0 ? char : escape(char))).join('')}"`
}
