/**
 * What is being typed into the filter field, and when it becomes part of the filter: a whole word at the space behind it, all
 * of it at Enter. Neighbours: `filter-words.ts` reads, `filter-field.tsx` shows. Knows no component.
 */
import type { Filter, FilterName } from './filter.ts'
import { parseFilter, printWord, type FilterWord } from './filter-words.ts'

export interface Draft {
  readonly typed: string
  /** What is wrong, at which word. */
  readonly fault: FilterWord | undefined
}

export interface Taken {
  readonly filter: Filter
  readonly draft: Draft
}

export const NO_DRAFT: Draft = { typed: '', fault: undefined }

/** After each key. Whole `name:value` words that are followed by a space go into the filter. */
export function takeWhole(filter: Filter, typed: string): Taken {
  const { words } = parseFilter(typed)
  const whole = words.filter(
    ({ name, fault, end }) => name !== undefined && fault === undefined && end < typed.length,
  )
  if (whole.length === 0) return { filter, draft: { typed, fault: faultBefore(words, typed) } }
  const rest = leaveOut(typed, whole)
  return {
    filter: { ...filter, ...toValues(whole) },
    draft: { typed: rest, fault: faultBefore(parseFilter(rest).words, rest) },
  }
}

/** At Enter: everything, texts too. What is wrong stays in the field. */
export function takeAll(filter: Filter, typed: string): Taken {
  const read = parseFilter(typed)
  const wrong = read.words.filter(({ fault }) => fault !== undefined)
  const rest = wrong.map(({ start, end }) => typed.slice(start, end)).join(' ')
  return {
    filter: { ...filter, ...read.filter },
    draft: {
      typed: rest,
      fault: parseFilter(rest).words.find(({ fault }) => fault !== undefined) ?? wrong[0],
    },
  }
}

/** A chip back into the field, to be changed. */
export function takeBack(filter: Filter, name: FilterName, typed: string): Taken {
  const { [name]: value, ...rest } = filter
  const word = value === undefined ? '' : name === 'text' ? value : printWord(name, value)
  return {
    filter: rest,
    draft: {
      typed: [typed.trim(), word].filter((part) => part !== '').join(' '),
      fault: undefined,
    },
  }
}

/** The word that is being typed may still become right. */
const faultBefore = (words: readonly FilterWord[], typed: string): FilterWord | undefined =>
  words.find(({ fault, end }) => fault !== undefined && end < typed.length)

const toValues = (words: readonly FilterWord[]): Filter =>
  Object.fromEntries(words.map(({ name, value }) => [name, value]))

function leaveOut(typed: string, words: readonly FilterWord[]): string {
  let rest = typed
  for (const { start, end } of words.toReversed())
    rest = rest.slice(0, start) + rest.slice(end).trimStart()
  return rest
}
