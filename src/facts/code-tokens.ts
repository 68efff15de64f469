/**
 * A program in one of the languages that agents run with `-c` or `-e` → words, strings and signs. One reader for all
 * of them: what matters are the strings, whatever stands around. Neighbours: `code.ts`. Linear; the number of tokens
 * is bounded.
 */
export type Language = 'js' | 'python' | 'perl' | 'ruby' | 'php' | 'awk'

export type Token =
  | { readonly type: 'word' | 'sign'; readonly text: string }
  /** `isKnown`: nothing is put in when it runs. `isCommand`: written in backticks that run a shell. */
  | {
      readonly type: 'string'
      readonly text: string
      readonly isKnown: boolean
      readonly isCommand: boolean
    }

const MAX_TOKENS = 50_000

/** `undefined` where there are too many. */
export function toTokens(code: string, language: Language): readonly Token[] | undefined {
  const tokens: Token[] = []
  const isHash = language !== 'js'
  const isSlash = language === 'js' || language === 'php'
  let at = 0
  while (at < code.length) {
    const letter = code[at] ?? ''
    if (letter === ' ' || letter === '\n' || letter === '\t' || letter === '\r') at++
    else if (isHash && letter === '#') at = lineEnd(code, at)
    else if (isSlash && letter === '/' && code[at + 1] === '/') at = lineEnd(code, at)
    else if (isSlash && letter === '/' && code[at + 1] === '*') at = after(code, '*/', at + 2)
    else if (isQuote(letter)) {
      const before = tokens.at(-1)
      const isPrefixed =
        language === 'python' &&
        before?.type === 'word' &&
        /^[rbuf]{1,2}$/i.test(before.text) &&
        code[at - 1] === before.text.at(-1)
      if (isPrefixed) tokens.pop()
      const read = readString(code, at, language, isPrefixed ? before.text.toLowerCase() : '')
      tokens.push(read.token)
      at = read.end
    } else if (isWordLetter(letter)) {
      const end = wordEnd(code, at)
      const word = code.slice(at, end)
      const read =
        language === 'perl' || language === 'ruby' ? readQuoteWord(code, end, word) : undefined
      tokens.push(read?.token ?? { type: 'word', text: word })
      at = read?.end ?? end
    } else {
      tokens.push({ type: 'sign', text: letter })
      at++
    }
    if (tokens.length > MAX_TOKENS) return undefined
  }
  return tokens
}

const isQuote = (letter: string): boolean => letter === '"' || letter === "'" || letter === '`'

const isWordLetter = (letter: string): boolean => /[\w$@]/.test(letter) || letter > '\u007f'

function wordEnd(code: string, start: number): number {
  let end = start + 1
  while (end < code.length && isWordLetter(code[end] ?? '')) end++
  return end
}

function lineEnd(code: string, start: number): number {
  const end = code.indexOf('\n', start)
  return end === -1 ? code.length : end
}

function after(code: string, mark: string, start: number): number {
  const at = code.indexOf(mark, start)
  return at === -1 ? code.length : at + mark.length
}

interface Read {
  readonly token: Token
  readonly end: number
}

function readString(code: string, start: number, language: Language, prefix: string): Read {
  const quote = code[start] ?? ''
  const mark =
    language === 'python' && code.startsWith(quote.repeat(3), start) ? quote.repeat(3) : quote
  const isRaw =
    prefix.includes('r') ||
    (quote === "'" && (language === 'perl' || language === 'ruby' || language === 'php'))
  const pieces: string[] = []
  let at = start + mark.length
  let from = at
  while (at < code.length && !code.startsWith(mark, at)) {
    if (code[at] !== '\\') {
      at++
      continue
    }
    pieces.push(code.slice(from, at))
    const escape = isRaw ? { text: rawEscape(code, at, quote), end: at + 2 } : readEscape(code, at)
    pieces.push(escape.text)
    at = escape.end
    from = at
  }
  pieces.push(code.slice(from, at))
  const text = pieces.join('')
  return {
    token: {
      type: 'string',
      text,
      isKnown: !isFilled(text, quote, language, prefix),
      isCommand: quote === '`' && language !== 'js' && language !== 'python',
    },
    end: at + mark.length,
  }
}

const rawEscape = (code: string, at: number, quote: string): string =>
  code[at + 1] === quote || code[at + 1] === '\\' ? (code[at + 1] ?? '') : code.slice(at, at + 2)

/** Whether something is put into it when it runs. */
function isFilled(text: string, quote: string, language: Language, prefix: string): boolean {
  if (language === 'js') return quote === '`' && text.includes('${')
  if (language === 'python') return prefix.includes('f') && text.includes('{')
  if (quote === "'") return false
  if (language === 'ruby') return text.includes('#{')
  return language !== 'awk' && /[$@][A-Za-z_{]/.test(text)
}

const ESCAPES: Readonly<Record<string, string | undefined>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  v: '\v',
  e: '\u001b',
  a: '\u0007',
  '\n': '',
}

function readEscape(code: string, at: number): { readonly text: string; readonly end: number } {
  const code4 =
    /^\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,6})\}|x\{([0-9a-fA-F]{1,6})\}|([0-7]{1,3}))/.exec(
      code.slice(at, at + 12),
    )
  if (code4 !== null) {
    const hex = code4[1] ?? code4[2] ?? code4[3] ?? code4[4]
    const value = hex === undefined ? Number.parseInt(code4[5] ?? '0', 8) : Number.parseInt(hex, 16)
    return { text: value <= 0x10ffff ? String.fromCodePoint(value) : '', end: at + code4[0].length }
  }
  const letter = code[at + 1] ?? ''
  return { text: ESCAPES[letter] ?? letter, end: at + 2 }
}

const CLOSING: Readonly<Record<string, string | undefined>> = {
  '(': ')',
  '{': '}',
  '[': ']',
  '<': '>',
}

/** `qx{…}`, `q(…)`, `qq/…/` of Perl and `%x(…)` of Ruby, whose sign before the word does no harm. */
function readQuoteWord(code: string, at: number, word: string): Read | undefined {
  if (word !== 'qx' && word !== 'q' && word !== 'qq' && word !== 'x') return undefined
  const open = code[at] ?? ''
  if (!/[({[</|!]/.test(open)) return undefined
  if (word === 'x' && code[at - 2] !== '%') return undefined
  const close = code.indexOf(CLOSING[open] ?? open, at + 1)
  if (close === -1) return undefined
  const text = code.slice(at + 1, close)
  const isKnown = word === 'q' || !/[$@#][A-Za-z_{]/.test(text)
  return {
    token: { type: 'string', text, isKnown, isCommand: word === 'qx' || word === 'x' },
    end: close + 1,
  }
}
