/**
 * What could stand at the caret of the filter field: names, values that the API knows, values that are in the list. Neighbours:
 * `filter-field.tsx` offers them. Knows no component.
 */
import { FILTERS } from '../../src/api/filters.ts'
import { VERDICT_TYPES } from '../../src/api/words.ts'
import { FILTER_NAMES, IS_VALUES, sayOf, toFilterName, type FilterName } from './filter.ts'
import { printWord } from './filter-words.ts'
import type { LiveRow } from './row.ts'

export interface Offer {
  /** Put in place of the word at the caret. */
  readonly text: string
  readonly says: string
  /** More is to be typed behind it. */
  readonly isName: boolean
}

export interface Offers {
  /** The word that they stand for. */
  readonly start: number
  readonly end: number
  readonly offers: readonly Offer[]
}

/** Values of a name that were seen, the most frequent first. */
export type Seen = (name: FilterName) => readonly string[]

const MAX_VALUES = 8
const MIN_GUESS = 2

export function complete(typed: string, caret: number, seen: Seen): Offers {
  const start = typed.slice(0, caret).search(/\S*$/)
  const end = caret + typed.slice(caret).search(/\s|$/)
  const word = typed.slice(start, end)
  const colon = word.indexOf(':')
  const name = colon === -1 ? undefined : toFilterName(word.slice(0, colon))
  if (name !== undefined)
    return { start, end, offers: offerValues(name, word.slice(colon + 1), seen) }
  return { start, end, offers: colon === -1 ? offerNames(word, seen) : [] }
}

function offerNames(word: string, seen: Seen): readonly Offer[] {
  const lower = word.toLowerCase()
  const names = FILTER_NAMES.filter((name) => name.toLowerCase().startsWith(lower)).map((name) => ({
    text: `${name}:`,
    says: plainly(sayOf(name)),
    isName: true,
  }))
  if (word.length < MIN_GUESS) return names
  const guesses = GUESSED.flatMap((name) =>
    valuesOf(name, seen)
      .filter((value) => value.toLowerCase().includes(lower))
      .slice(0, 2)
      .map((value) => ({ text: printWord(name, value), says: '', isName: false })),
  )
  return [...names, ...guesses].slice(0, MAX_VALUES)
}

/** Where a value alone says what is meant. */
const GUESSED: readonly FilterName[] = ['tool', 'model', 'client', 'key', 'upstream', 'outcome']

function offerValues(name: FilterName, typed: string, seen: Seen): readonly Offer[] {
  const lower = typed.replace(/^"/, '').toLowerCase()
  return valuesOf(name, seen)
    .filter((value) => value.toLowerCase().includes(lower) && value.toLowerCase() !== lower)
    .slice(0, MAX_VALUES)
    .map((value) => ({ text: printWord(name, value), says: TIMES[value] ?? '', isName: false }))
}

const TIMES: Readonly<Record<string, string>> = {
  '15m': 'the last quarter of an hour',
  '1h': 'the last hour',
  '24h': 'the last day',
  '7d': 'the last week',
}

/** Each once: what is always possible, then what was seen. */
const valuesOf = (name: FilterName, seen: Seen): readonly string[] => [
  ...new Set([...fixedValues(name), ...seen(name)]),
]

function fixedValues(name: FilterName): readonly string[] {
  if (name === 'is') return IS_VALUES
  if (name === 'verdict') return VERDICT_TYPES.filter((type) => type !== 'pass')
  const param = FILTERS[name]
  switch (param.type) {
    case 'choice':
      return param.values
    case 'flag':
      return ['true', 'false']
    case 'status':
      return ['error']
    case 'time':
      return Object.keys(TIMES)
    case 'text':
    case 'whole':
      return []
  }
}

/** Backticks are for the reference. */
const plainly = (says: string): string => says.replaceAll('`', '')

/** How many lines are looked at: more would be felt while typing. */
const LOOKED_AT = 2000

export function createSeen(rows: () => readonly LiveRow[]): Seen {
  return (name) => {
    const read = READS[name]
    if (read === undefined) return []
    const counts = new Map<string, number>()
    for (const row of rows().slice(0, LOOKED_AT))
      for (const value of read(row))
        if (value !== undefined && value !== '') counts.set(value, (counts.get(value) ?? 0) + 1)
    return [...counts].toSorted(([, one], [, other]) => other - one).map(([value]) => value)
  }
}

type Read = (row: LiveRow) => readonly (string | undefined)[]

const READS: Partial<Readonly<Record<FilterName, Read>>> = {
  tool: ({ tools }) => tools.map(({ name }) => name),
  verdict: ({ verdicts }) => Object.keys(verdicts),
  model: ({ model, upstreamModel }) => [model, upstreamModel],
  status: ({ status }) => [status === undefined ? undefined : String(status)],
  client: ({ client }) => [client],
  key: ({ key }) => [key],
  policy: ({ policies }) => Object.values(policies).flat(),
  route: ({ route }) => [route],
  upstream: ({ upstream }) => [upstream],
  conversation: ({ conversation }) => [conversation],
}
