/**
 * What a list of exchanges is narrowed to: `{ tool: 'Bash', since: '2h' }`, each value as a person typed it, so that a link
 * to "the last two hours" stays that. Neighbours: `filter-words.ts` has the words of the field, `src/api/filters.ts` says
 * what the API takes; the address holds the same names. `is` is ours alone: only the page knows what is open now.
 */
import { nearest } from '../../src/base/nearest.ts'
import { FILTERS } from '../../src/api/filters.ts'
import { readParams, type ParamValue } from '../../src/api/params.ts'
import type { ExchangeQuery } from '../../src/store/query.ts'

export type FilterName = keyof typeof FILTERS | 'is'
export type Filter = Readonly<Partial<Record<FilterName, string>>>

/** What exchanges are at this moment. */
export const IS_VALUES = ['open', 'waiting'] as const

/** In the order in which they are offered. */
export const FILTER_NAMES: readonly FilterName[] = [
  'tool',
  'verdict',
  'model',
  'status',
  'client',
  'key',
  'policy',
  'since',
  'until',
  'outcome',
  'is',
  'route',
  'upstream',
  'wire',
  'conversation',
  'hasTools',
  'isShadow',
  'text',
]

const IS_SAYS = '`open`: goes on now. `waiting`: a person must decide'

export const sayOf = (name: FilterName): string => (name === 'is' ? IS_SAYS : FILTERS[name].says)

/** A name as somebody typed it, in any case. */
export function toFilterName(typed: string): FilterName | undefined {
  const lower = typed.toLowerCase()
  return FILTER_NAMES.find((name) => name.toLowerCase() === lower)
}

export function unknownName(typed: string): string {
  const near = nearest(typed, FILTER_NAMES)
  return near === undefined
    ? `There is no filter "${typed}": put it in quotes to search for it as text`
    : `There is no filter "${typed}": did you mean "${near}"?`
}

/** What is wrong with a value, in a sentence. */
export function checkValue(name: FilterName, value: string, now = Date.now()): string | undefined {
  if (value === '') return `Say which: ${name}:…`
  const read = readOne(name, value, now)
  return read instanceof Error ? read.message : undefined
}

/** As the API takes it; what is wrong is left out, and so is what only the page knows. */
export function toExchangeQuery(filter: Filter, now = Date.now()): ExchangeQuery {
  const query: Record<string, ParamValue> = {}
  for (const name of FILTER_NAMES) {
    const value = filter[name]
    if (value === undefined || name === 'is') continue
    const read = readOne(name, value, now)
    if (!(read instanceof Error)) query[name] = read
  }
  return query
}

function readOne(name: FilterName, value: string, now: number): ParamValue | Error {
  if (name === 'is')
    return (IS_VALUES as readonly string[]).includes(value)
      ? value
      : new Error(`"is" cannot be "${value}": it takes ${IS_VALUES.join(', ')}`)
  const query = new URLSearchParams([[name, value]]).toString()
  const read = readParams({ [name]: FILTERS[name] }, query, now)
  return read instanceof Error ? read : (read[name] ?? value)
}

/** Of the address: names that are none of ours are others' business. */
export function fromAddress(query: Readonly<Record<string, string>>): Filter {
  const filter: Partial<Record<FilterName, string>> = {}
  for (const name of FILTER_NAMES) {
    const value = query[name]
    if (value !== undefined && value !== '') filter[name] = value
  }
  return filter
}

/** Into the address: every name is said, so that one that is gone is taken out of it. */
export const toAddress = (filter: Filter): Readonly<Record<FilterName, string | undefined>> =>
  Object.fromEntries(FILTER_NAMES.map((name) => [name, filter[name]])) as Record<
    FilterName,
    string | undefined
  >

export const isSameFilter = (one: Filter, other: Filter): boolean =>
  FILTER_NAMES.every((name) => one[name] === other[name])

export const isEmptyFilter = (filter: Filter): boolean => isSameFilter(filter, {})
