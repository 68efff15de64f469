/**
 * Reads what models write when they mean JSON: fences around it, trailing commas, single quotes, bare keys, raw line
 * breaks, Python's literals, brackets too many or too few at the end. One pass, no recursion. Where a text could be
 * read in two ways (a quote inside a string, an escape that JSON does not have, a number that breaks off) it gives up:
 * a wrong guess would be run. Neighbours: `mend-token.ts` reads words and strings, `repair-json.ts` is the way in.
 */
import { MAX_NESTING } from '../../base/nesting.ts'
import { isSpace, readKey, readScalar, type JsonRepair, type Token } from './mend-token.ts'

export interface Mended {
  readonly text: string
  readonly repairs: readonly JsonRepair[]
  /** With `end`: the way to the innermost object or list that was still open; all on the way were open, too. */
  readonly open: readonly (string | number)[] | undefined
}

/** Far over what a model writes in one call. */
const MAX_LENGTH = 1_000_000

export function mend(source: string): Mended | undefined {
  if (source.length > MAX_LENGTH) return undefined
  const repairs = new Set<JsonRepair>()
  const { from, to } = inside(source, repairs)
  const first = readValue(source, from, to)
  if (first === undefined) return undefined
  const rest = source.slice(first.end, to).trim()
  const last = rest === '' ? first : readRest(source, { first, from, to, rest }, repairs)
  if (last === undefined) return undefined
  for (const repair of last.repairs) repairs.add(repair)
  return { text: last.text, repairs: [...repairs], open: last.open }
}

/** What stands inside a fence of Markdown, or all of it. */
function inside(source: string, repairs: Set<JsonRepair>): { from: number; to: number } {
  let from = 0
  const to = endOf(source, from, source.length)
  while (from < to && isSpace(source, from)) from += 1
  if (source.startsWith('```', from)) {
    const info = /^```[\w+-]{0,20}/.exec(source.slice(from, from + 24))?.[0] ?? ''
    from += info.length
    repairs.add('code-fence')
  } else if (source[from] === '`' && source[to - 1] === '`' && to - from > 1) {
    repairs.add('code-fence')
    return { from: from + 1, to: to - 1 }
  }
  if (to - from > 2 && source.endsWith('```', to)) {
    repairs.add('code-fence')
    return { from, to: to - 3 }
  }
  // The space at the end stays: a number before it is over.
  return { from, to: source.length }
}

/** Behind the last that is not space. */
function endOf(source: string, from: number, to: number): number {
  let end = to
  while (end > from && isSpace(source, end - 1)) end -= 1
  return end
}

interface Read {
  readonly text: string
  readonly end: number
  readonly repairs: ReadonlySet<JsonRepair>
  readonly open: readonly (string | number)[] | undefined
}

/** More behind the first value: some servers write `{}` and then the arguments, some write them twice. */
function readRest(
  source: string,
  of: { readonly first: Read; readonly from: number; readonly to: number; readonly rest: string },
  repairs: Set<JsonRepair>,
): Read | undefined {
  const { first, from, to, rest } = of
  if (isOnlyClosers(source, first.end, to)) {
    repairs.add('brackets')
    return first
  }
  if (rest === source.slice(from, first.end).trim()) {
    repairs.add('written-twice')
    return first
  }
  if (first.text !== '{}' || !rest.startsWith('{')) return undefined
  const second = readValue(source, first.end, to)
  if (second === undefined || source.slice(second.end, to).trim() !== '') return undefined
  repairs.add('empty-object-in-front')
  return second
}

interface Open {
  readonly closer: '}' | ']'
  /** The key of the member that is being read, or the index of the item. */
  at: string | number
  isEmpty: boolean
}

type Expect = 'value' | 'key' | 'colon' | 'comma'

function readValue(source: string, from: number, to: number): Read | undefined {
  const out: string[] = []
  const repairs = new Set<JsonRepair>()
  const stack: Open[] = []
  let expect = 'value' as Expect
  let isAfterComma = false
  let isBareNumber = false
  let at = from

  const done = (open?: readonly (string | number)[]): Read => ({
    text: out.join(''),
    end: at,
    repairs,
    open,
  })
  const closeAll = (repair: JsonRepair): void => {
    for (const { closer } of stack.toReversed()) out.push(closer)
    repairs.add(repair)
  }
  function take(token: Token | undefined): boolean {
    if (token === undefined) return false
    out.push(token.json)
    for (const repair of token.repairs) repairs.add(repair)
    at = token.end
    return true
  }
  /** Before an item or a key: commas are written late, so that a trailing one never is. */
  function begin(top: Open | undefined): boolean {
    if (top === undefined) return true
    if (!top.isEmpty && !isAfterComma) return false
    if (!top.isEmpty) out.push(',')
    if (typeof top.at === 'number') top.at += top.isEmpty ? 0 : 1
    top.isEmpty = false
    isAfterComma = false
    return true
  }
  function readKeyOf(top: Open | undefined): boolean {
    const token = readKey(source, at, to)
    if (top === undefined || token === undefined || !begin(top) || !take(token)) return false
    top.at = token.value
    expect = 'colon'
    return true
  }
  function readItem(top: Open | undefined): boolean {
    if (top?.closer !== '}' && !begin(top)) return false
    const char = source[at]
    if (char === '{' || char === '[') {
      if (stack.length >= MAX_NESTING) return false
      stack.push({ closer: char === '{' ? '}' : ']', at: char === '{' ? '' : 0, isEmpty: true })
      out.push(char)
      at += 1
      expect = char === '{' ? 'key' : 'value'
      return true
    }
    const token = readScalar(source, at, to)
    isBareNumber = token?.isNumber === true
    expect = 'comma'
    return take(token)
  }
  /** `true`: closed one; `false`: this cannot be read; `'end'`: nothing but brackets came, and all is closed. */
  function close(top: Open, char: string): boolean | 'end' {
    if (expect === 'colon' || (expect === 'value' && top.closer === '}')) return false
    if (isAfterComma) repairs.add('trailing-comma')
    isAfterComma = false
    if (char !== top.closer) {
      // The outermost must have been closed, or the end could be missing.
      const last = source[endOf(source, at, to) - 1]
      if (last !== stack[0]?.closer || !isOnlyClosers(source, at, to)) return false
      closeAll('brackets')
      at = to
      return 'end'
    }
    stack.pop()
    out.push(char)
    at += 1
    expect = 'comma'
    return true
  }

  for (;;) {
    const before = at
    while (at < to && isSpace(source, at)) at += 1
    const top = stack.at(-1)
    if (expect === 'comma' && top === undefined) return done()
    if (at >= to) {
      // A number at the very end may go on, and behind a comma more was to come.
      const isWhole = expect === 'comma' && !(isBareNumber && before === at)
      if (!isWhole || isAfterComma) return undefined
      closeAll('end')
      return done(stack.map((one) => one.at).slice(0, -1))
    }
    const char = source[at] ?? ''
    if (char === '}' || char === ']') {
      const closed = top === undefined ? false : close(top, char)
      if (closed === 'end') return done()
      if (!closed) return undefined
      isBareNumber = false
    } else if (expect === 'comma') {
      if (char !== ',') return undefined
      at += 1
      isAfterComma = true
      expect = top?.closer === '}' ? 'key' : 'value'
    } else if (expect === 'colon') {
      if (char !== ':') return undefined
      out.push(':')
      at += 1
      expect = 'value'
    } else if (!(expect === 'key' ? readKeyOf(top) : readItem(top))) return undefined
  }
}

function isOnlyClosers(source: string, from: number, to: number): boolean {
  for (let at = from; at < to; at++)
    if (source[at] !== '}' && source[at] !== ']' && !isSpace(source, at)) return false
  return true
}
