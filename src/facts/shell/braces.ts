/**
 * `a{b,c}` → `ab ac`, `{1..3}` → `1 2 3`: done on the written word, before anything else in it, as a shell does.
 * Neighbours: `words.ts`. Bounded in number; what is too much comes back as `undefined`.
 */

const MAX_WORDS = 64
const MAX_DEPTH = 8

export function expandBraces(word: string): readonly string[] | undefined {
  const all = expand(word, 0)
  return all === undefined || all.length > MAX_WORDS ? undefined : all
}

function expand(word: string, depth: number): readonly string[] | undefined {
  if (depth > MAX_DEPTH) return undefined
  const group = findGroup(word)
  if (group === undefined) return [word]
  const before = word.slice(0, group.start)
  const after = word.slice(group.end + 1)
  const ends = expand(after, depth + 1)
  if (ends === undefined) return undefined
  const found: string[] = []
  for (const option of group.options) {
    const middles = expand(option, depth + 1)
    if (middles === undefined) return undefined
    for (const middle of middles) for (const end of ends) found.push(before + middle + end)
    if (found.length > MAX_WORDS) return undefined
  }
  return found
}

interface Group {
  readonly start: number
  readonly end: number
  readonly options: readonly string[]
}

/** The first group that expands; braces in quotes, of `${…}` and without a comma stay. */
function findGroup(word: string): Group | undefined {
  const open: { at: number; cuts: number[] }[] = []
  let found: Group | undefined
  for (let at = 0; at < word.length; at++) {
    const letter = word[at]
    if (letter === '\\') at++
    else if (letter === "'" || letter === '"') at = skipQuotes(word, at)
    else if (letter === '$' && (word[at + 1] === '{' || word[at + 1] === '('))
      at = skipNested(word, at + 1)
    else if (letter === '{') open.push({ at, cuts: [] })
    else if (letter === ',') open.at(-1)?.cuts.push(at)
    else if (letter === '}') {
      const group = toGroup(word, open.pop(), at)
      if (group !== undefined) found = group
      if (found !== undefined && open.length === 0) return found
    }
  }
  return found
}

function toGroup(
  word: string,
  open: { readonly at: number; readonly cuts: readonly number[] } | undefined,
  end: number,
): Group | undefined {
  if (open === undefined) return undefined
  const start = open.at
  if (open.cuts.length === 0) {
    const options = toRange(word.slice(start + 1, end))
    return options === undefined ? undefined : { start, end, options }
  }
  const edges = [start, ...open.cuts, end]
  const options = open.cuts
    .concat(end)
    .map((cut, index) => word.slice((edges[index] ?? start) + 1, cut))
  return options.length > MAX_WORDS ? undefined : { start, end, options }
}

function toRange(inside: string): readonly string[] | undefined {
  const range = /^(?:(-?\d{1,6})\.\.(-?\d{1,6})|([A-Za-z])\.\.([A-Za-z]))$/.exec(inside)
  if (range === null) return undefined
  const isNumber = range[1] !== undefined
  const from = isNumber ? Number(range[1]) : (range[3] ?? '').charCodeAt(0)
  const to = isNumber ? Number(range[2]) : (range[4] ?? '').charCodeAt(0)
  const count = Math.min(Math.abs(to - from) + 1, MAX_WORDS)
  return Array.from({ length: count }, (_, step) => {
    const value = from + (to < from ? -step : step)
    return isNumber ? String(value) : String.fromCharCode(value)
  })
}

function skipQuotes(word: string, start: number): number {
  const quote = word[start]
  for (let at = start + 1; at < word.length; at++) {
    if (word[at] === '\\' && quote === '"') at++
    else if (word[at] === quote) return at
  }
  return word.length
}

function skipNested(word: string, start: number): number {
  const close = word[start] === '{' ? '}' : ')'
  let depth = 0
  for (let at = start; at < word.length; at++) {
    if (word[at] === '\\') at++
    else if (word[at] === word[start]) depth++
    else if (word[at] === close && --depth === 0) return at
  }
  return word.length
}
