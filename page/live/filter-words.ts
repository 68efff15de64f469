/**
 * The words of the filter field ↔ a filter: `tool:Bash since:2h rm -rf` is a tool, a time, and a text to search for. A value
 * with spaces stands in quotes; so does a text that would read as a filter. `parse(print(x))` is `x`. Neighbours:
 * `filter.ts` knows the names, `filter-complete.ts` what fits at the caret. Never throws: what is wrong is said at its word.
 */
import { checkValue, FILTER_NAMES, toFilterName, unknownName } from './filter.ts'
import type { Filter, FilterName } from './filter.ts'

/** A word as it stands in the field. */
export interface FilterWord {
  readonly start: number
  readonly end: number
  /** `undefined`: text to search for. */
  readonly name: FilterName | undefined
  readonly value: string
  readonly fault?: string | undefined
}

export interface ParsedFilter {
  /** Without the words that are wrong. */
  readonly filter: Filter
  readonly words: readonly FilterWord[]
}

export function parseFilter(typed: string, now = Date.now()): ParsedFilter {
  const words = readWords(typed, now)
  const filter: Partial<Record<FilterName, string>> = {}
  const texts: string[] = []
  const checked = words.map((word) => {
    if (word.fault !== undefined) return word
    if (word.name === undefined) {
      texts.push(word.value)
      return word
    }
    if (filter[word.name] !== undefined)
      return { ...word, fault: `"${word.name}" is said twice: say it once` }
    filter[word.name] = word.value
    return word
  })
  if (texts.length > 0)
    filter.text = [...(filter.text === undefined ? [] : [filter.text]), ...texts].join(' ')
  return { filter, words: checked }
}

/** The names in the order in which they are offered, then the text. */
export function printFilter(filter: Filter): string {
  const named = FILTER_NAMES.flatMap((name) => {
    const value = filter[name]
    return value === undefined || name === 'text' ? [] : [printWord(name, value)]
  })
  return [...named, ...(filter.text === undefined ? [] : [printText(filter.text)])].join(' ')
}

export const printWord = (name: FilterName, value: string): string =>
  `${name}:${/^[^\s"]+$/.test(value) ? value : quote(value)}`

function printText(text: string): string {
  const words = text.split(' ')
  return words.every((word) => /^\S+$/.test(word))
    ? words.map((word) => (readsAsText(word) ? word : quote(word))).join(' ')
    : quote(text)
}

function readsAsText(word: string): boolean {
  const [first, second] = readWords(word, 0)
  return (
    second === undefined &&
    first?.name === undefined &&
    first?.fault === undefined &&
    first?.value === word
  )
}

const quote = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`

function readWords(typed: string, now: number): readonly FilterWord[] {
  const words: FilterWord[] = []
  let at = 0
  while (at < typed.length) {
    if (/\s/.test(typed.charAt(at))) at += 1
    else {
      const word = readWord(typed, at, now)
      words.push(word)
      at = word.end
    }
  }
  return words
}

const NAMED = /([a-z]+):/iy

function readWord(typed: string, start: number, now: number): FilterWord {
  NAMED.lastIndex = start
  const [head = '', typedName = ''] = NAMED.exec(typed) ?? []
  const { value, end } = readValue(typed, start + head.length)
  if (head === '') return { start, end, name: undefined, value }
  const name = toFilterName(typedName)
  if (name !== undefined) return { start, end, name, value, fault: checkValue(name, value, now) }
  // `https://…` and `Error:` are what people paste from a log.
  if (value === '' || value.startsWith('//'))
    return { start, end, name: undefined, value: typed.slice(start, end) }
  return { start, end, name: undefined, value, fault: unknownName(typedName) }
}

/** Until the next space, or in quotes; a quote that is not closed goes to the end. */
function readValue(typed: string, start: number): { readonly value: string; readonly end: number } {
  if (typed.charAt(start) !== '"') {
    let end = start
    while (end < typed.length && !/\s/.test(typed.charAt(end))) end += 1
    return { value: typed.slice(start, end), end }
  }
  let value = ''
  let at = start + 1
  for (; at < typed.length && typed.charAt(at) !== '"'; at++) {
    if (typed.charAt(at) === '\\' && /["\\]/.test(typed.charAt(at + 1))) at += 1
    value += typed.charAt(at)
  }
  return { value, end: Math.min(at + 1, typed.length) }
}
