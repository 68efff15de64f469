/**
 * Whether a text is JSON, the beginning of JSON, or neither. A tool call that was cut off by a token
 * limit is the beginning of JSON and clients can live with it; one that went wrong is neither, and
 * they throw. One pass, no recursion, so that hostile nesting costs nothing. Imports nothing.
 */
export type JsonShape = 'empty' | 'whole' | 'cut' | 'broken'

/** What `text` is, without building its value. */
export function jsonShape(text: string): JsonShape {
  if (SPACE.test(text)) return 'empty'
  try {
    JSON.parse(text)
    return 'whole'
  } catch {
    return isBeginning(text) ? 'cut' : 'broken'
  }
}

type Expect = 'value' | 'first-key' | 'key' | 'colon' | 'comma' | 'first-item' | 'end'

/** What JSON calls space; `trim` would take more. */
const SPACE = /^[ \t\r\n]*$/
const LITERAL = /^(?:true|false|null)$/
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
const NUMBER_BEGINNING = /^-?(?:(?:0|[1-9]\d*)(?:\.(?:\d+(?:[eE][+-]?\d*)?)?|[eE][+-]?\d*)?)?$/
const STRING_END = /["\\]/g

function isBeginning(text: string): boolean {
  const open: ('{' | '[')[] = []
  let expect = 'value' as Expect
  let at = 0
  const closed = (): Expect => (open.length === 0 ? 'end' : 'comma')

  while (at < text.length) {
    const char = text.charAt(at)
    if (char === ' ' || char === '\n' || char === '\r' || char === '\t') {
      at += 1
    } else if (char === '"') {
      if (
        expect !== 'value' &&
        expect !== 'first-item' &&
        expect !== 'key' &&
        expect !== 'first-key'
      )
        return false
      const end = stringEnd(text, at)
      if (end === undefined) return true
      if (end === -1) return false
      expect = expect === 'key' || expect === 'first-key' ? 'colon' : closed()
      at = end
    } else if (char === '{' || char === '[') {
      if (expect !== 'value' && expect !== 'first-item') return false
      open.push(char)
      expect = char === '{' ? 'first-key' : 'first-item'
      at += 1
    } else if (char === '}' || char === ']') {
      const opener = open.pop()
      if (opener !== (char === '}' ? '{' : '[')) return false
      if (expect !== 'comma' && expect !== (char === '}' ? 'first-key' : 'first-item')) return false
      expect = closed()
      at += 1
    } else if (char === ':') {
      if (expect !== 'colon') return false
      expect = 'value'
      at += 1
    } else if (char === ',') {
      if (expect !== 'comma') return false
      expect = open.at(-1) === '{' ? 'key' : 'value'
      at += 1
    } else {
      if (expect !== 'value' && expect !== 'first-item') return false
      const end = wordEnd(text, at)
      const word = text.slice(at, end)
      const isLast = end === text.length
      if (!(isLast ? isScalarBeginning(word) : isScalar(word))) return false
      expect = closed()
      at = end
    }
  }
  return true
}

/** Where the string that opens at `at` ends; -1 when it is no string, `undefined` when it is cut. */
function stringEnd(text: string, at: number): number | undefined {
  let from = at + 1
  for (;;) {
    STRING_END.lastIndex = from
    const found = STRING_END.exec(text)
    const end = found === null ? text.length : found.index
    for (let i = from; i < end; i++) if (text.charCodeAt(i) < 0x20) return -1
    if (found === null) return undefined
    if (found[0] === '"') return end + 1
    const escape = text.charAt(end + 1)
    if (escape === '') return undefined
    if (escape === 'u') {
      const digits = text.slice(end + 2, end + 6)
      if (!/^[0-9a-fA-F]*$/.test(digits)) return -1
      if (digits.length < 4) return undefined
      from = end + 6
    } else {
      if (!'"\\/bfnrt'.includes(escape)) return -1
      from = end + 2
    }
  }
}

function wordEnd(text: string, at: number): number {
  let end = at
  while (end < text.length && !' \n\r\t,:{}[]"'.includes(text.charAt(end))) end += 1
  return end
}

const isScalar = (word: string): boolean => LITERAL.test(word) || NUMBER.test(word)

const isScalarBeginning = (word: string): boolean =>
  ['true', 'false', 'null'].some((literal) => literal.startsWith(word)) ||
  NUMBER_BEGINNING.test(word)
