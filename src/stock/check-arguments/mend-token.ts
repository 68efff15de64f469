/**
 * The words and strings of text that is nearly JSON. Neighbour: `mend.ts` reads what they stand in. Every pattern
 * here looks at a character once.
 */
/** What was done to make it JSON. */
export type JsonRepair =
  | 'code-fence'
  | 'empty-object-in-front'
  | 'written-twice'
  | 'trailing-comma'
  | 'single-quotes'
  | 'bare-key'
  | 'raw-line-break'
  | 'python-literal'
  | 'brackets'
  | 'end'

export interface Token {
  /** As JSON. */
  readonly json: string
  readonly end: number
  readonly repairs: readonly JsonRepair[]
  readonly isNumber?: boolean
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?/y
const WORD = /[A-Za-z]+/y
const NAME = /[A-Za-z_$][\w$-]*/y

const LITERALS: Readonly<Record<string, string>> = { true: 'true', false: 'false', null: 'null' }
const PYTHON: Readonly<Record<string, string>> = { True: 'true', False: 'false', None: 'null' }

export function isSpace(source: string, at: number): boolean {
  const code = source.charCodeAt(at)
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09 || code === 0xfeff
}

export function readScalar(source: string, at: number, to: number): Token | undefined {
  const char = source[at] ?? ''
  if (char === '"') return readDouble(source, at, to)
  if (char === "'") return readSingle(source, at, to)
  const isNumber = char === '-' || (char >= '0' && char <= '9')
  const word = match(isNumber ? NUMBER : WORD, source, at)
  const end = at + word.length
  // `12abc` and `007` fail at what follows: it is no comma.
  if (word === '' || end > to) return undefined
  if (isNumber) return { json: word, end, repairs: [], isNumber }
  if (Object.hasOwn(LITERALS, word)) return { json: word, end, repairs: [] }
  const json = Object.hasOwn(PYTHON, word) ? PYTHON[word] : undefined
  return json === undefined ? undefined : { json, end, repairs: ['python-literal'] }
}

export function readKey(
  source: string,
  at: number,
  to: number,
): (Token & { readonly value: string }) | undefined {
  const char = source[at]
  if (char === '"' || char === "'") {
    const token = readScalar(source, at, to)
    return token === undefined ? undefined : { ...token, value: String(JSON.parse(token.json)) }
  }
  const name = match(NAME, source, at)
  const end = at + name.length
  if (name === '' || end > to) return undefined
  return { json: JSON.stringify(name), end, repairs: ['bare-key'], value: name }
}

function match(pattern: RegExp, source: string, at: number): string {
  pattern.lastIndex = at
  return pattern.exec(source)?.[0] ?? ''
}

// oxlint-disable-next-line no-control-regex -- JSON's strings have none of them
const PLAIN = /[^"\\\u0000-\u001f]*/y
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y

/**
 * A string of JSON's own. Escapes that JSON does not have (`\d`, `\$`, `\'`) end the attempt: in a command or a
 * pattern the backslash may be meant.
 */
function readDouble(source: string, from: number, to: number): Token | undefined {
  const pieces: string[] = ['"']
  let isRaw = false
  let at = from + 1
  for (;;) {
    const plain = match(PLAIN, source, at)
    pieces.push(plain)
    at += plain.length
    if (at >= to) return undefined
    if (source[at] === '"') break
    if (source[at] === '\\') {
      const escape = match(ESCAPE, source, at)
      if (escape === '') return undefined
      pieces.push(escape)
      at += escape.length
    } else {
      isRaw = true
      pieces.push(JSON.stringify(source[at]).slice(1, -1))
      at += 1
    }
  }
  pieces.push('"')
  return { json: pieces.join(''), end: at + 1, repairs: isRaw ? ['raw-line-break'] : [] }
}

const SINGLE_PLAIN = /[^'\\]*/y
const SINGLE_ESCAPE = /\\(?:['"\\/bfnrt]|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4})/y
const MEANS: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}

/** A string as Python and JavaScript write it. A quote inside ends it too early, and then nothing fits any more. */
function readSingle(source: string, from: number, to: number): Token | undefined {
  const pieces: string[] = []
  let at = from + 1
  for (;;) {
    const plain = match(SINGLE_PLAIN, source, at)
    pieces.push(plain)
    at += plain.length
    if (at >= to) return undefined
    if (source[at] === "'") break
    const escape = match(SINGLE_ESCAPE, source, at)
    if (escape === '') return undefined
    pieces.push(unescape(escape))
    at += escape.length
  }
  return { json: JSON.stringify(pieces.join('')), end: at + 1, repairs: ['single-quotes'] }
}

function unescape(escape: string): string {
  const letter = escape[1] ?? ''
  if (letter === 'x' || letter === 'u')
    return String.fromCharCode(Number.parseInt(escape.slice(2), 16))
  return MEANS[letter] ?? letter
}
