/**
 * `\x72`, `\162`, `%s`: the escapes and formats of `echo -e` and `printf` → the text they stand for. Neighbours:
 * `producers.ts`. Output is bounded by its caller.
 */
const LETTERS: Readonly<Record<string, string | undefined>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\u0007',
  b: '\b',
  f: '\f',
  v: '\v',
  e: '\u001b',
  E: '\u001b',
  '\\': '\\',
  '"': '"',
  "'": "'",
}

const ESCAPE =
  /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|(0?[0-7]{1,3})|([ntrabfveE\\"']))/g

export const escapeText = (text: string): string =>
  text.includes('\\') ? text.replaceAll(ESCAPE, (...found: string[]) => toLetter(found)) : text

function toLetter([all = '', x, u, long, octal, letter = '']: readonly (
  | string
  | undefined
)[]): string {
  const hex = x ?? u ?? long
  if (hex === undefined && octal === undefined) return LETTERS[letter] ?? all
  const code = hex === undefined ? Number.parseInt(octal ?? '', 8) : Number.parseInt(hex, 16)
  return code <= 0x10ffff ? String.fromCodePoint(code) : all
}

const FORMAT = /%(?:%|[-+ #0]*\d*(?:\.\d+)?([sbcdiuxXoqeEfgG]))/g

/** The format is used again until all values are; `undefined` where that gets too long. */
export function formatText(
  format: string,
  values: readonly string[],
  limit: number,
): string | undefined {
  const pieces: string[] = []
  let at = 0
  let length = 0
  const spelled = escapeText(format)
  do {
    const before = at
    const text = spelled.replaceAll(FORMAT, (all: string, kind?: string) => {
      if (kind === undefined) return '%'
      return toValue(kind, values[at++] ?? '')
    })
    pieces.push(text)
    length += text.length
    if (length > limit) return undefined
    if (at === before) break
  } while (at < values.length)
  return pieces.join('')
}

function toValue(kind: string, value: string): string {
  if (kind === 'b') return escapeText(value)
  if (kind === 'c') return value.slice(0, 1)
  if (kind === 's' || kind === 'q') return value
  const number = Number(value === '' ? 0 : value)
  if (!Number.isFinite(number)) return value
  if (kind === 'x') return number.toString(16)
  if (kind === 'X') return number.toString(16).toUpperCase()
  return kind === 'o' ? number.toString(8) : String(number)
}
