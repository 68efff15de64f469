/**
 * An error of CEL's → words for the person who wrote the expression: what is wrong, the place with a caret under it, and
 * what was probably meant. Neighbours: `language.ts` and `inspect.ts` find mistakes, `config/policy-rules.ts` puts file
 * and line before them.
 */
import { ParseError, TypeError as CelTypeError } from '@marcbachmann/cel-js'
import { isObject } from '../../base/json.ts'
import { nearest } from '../../base/nearest.ts'
import type { RuleSubject } from './rule.ts'
import { FUNCTIONS, VARIABLES, type TypeName } from './vocabulary.ts'

/** What is wrong with an expression. */
export class Mistake {
  /** In a sentence, on one line. */
  readonly message: string
  /** The line of the expression that it is about, and a caret below. */
  readonly excerpt: string
  /** The part of the expression that it is about, where that is known. */
  readonly range: Range | undefined

  constructor(message: string, excerpt: string, range: Range | undefined) {
    this.message = message
    this.excerpt = excerpt
    this.range = range
  }
}

/** Places in an expression; the second is behind the last sign. */
export interface Range {
  readonly start: number
  readonly end: number
}

export const toMistake = (message: string, source: string, range?: Range): Mistake =>
  new Mistake(message, toExcerpt(source, range?.start ?? 0), range)

interface Facts {
  readonly source: string
  readonly on: RuleSubject
  readonly fields: Readonly<Record<TypeName, Readonly<Record<string, string>>>>
}

export function fromError(error: unknown, facts: Facts): Mistake {
  if (!(error instanceof ParseError) && !(error instanceof CelTypeError))
    return toMistake('it cannot be read', facts.source)
  return toMistake(toSentence(error, facts), facts.source, error.range)
}

function toSentence(error: ParseError | CelTypeError, facts: Facts): string {
  switch (error.code) {
    case 'unknown_variable':
      return aboutVariable(wordAt(error, facts), facts)
    case 'no_such_key':
      return aboutField(error, facts)
    case 'no_matching_overload':
      return aboutCall(error, facts)
    case 'unexpected_token':
    case 'unexpected_character':
    case 'expected_token':
      return aboutToken(error, facts)
    default:
      return lowerFirst(error.summary)
  }
}

const wordAt = ({ range }: ParseError | CelTypeError, { source }: Facts): string =>
  range === undefined ? '' : source.slice(range.start, range.end)

function aboutVariable(word: string, { on }: Facts): string {
  const elsewhere = VARIABLES.find(({ name }) => name === word)
  if (elsewhere !== undefined)
    return `${word} is there only for rules with on: ${elsewhere.subjects.join(' or ')}`
  const names = VARIABLES.filter(({ subjects }) => subjects.includes(on)).map(({ name }) => name)
  return `there is no variable ${show(word)}: ${takes(names, word)}; text stands in quotes`
}

function aboutField(error: ParseError | CelTypeError, { fields, ...facts }: Facts): string {
  const type = leftType(error.node)
  const word = error.summary.replace(/^No such key: /, '')
  if (type === 'Counters' && Object.keys(fields.Counters).length === 0)
    return 'no rule counts: give one "count: name", and counters.name is there'
  const names = type === undefined || !(type in fields) ? [] : Object.keys(fields[type as TypeName])
  const owner = error.range === undefined ? '' : facts.source.slice(0, error.range.start)
  const [of = ''] = /[\w.]{1,60}(?=\.$)/.exec(owner.slice(-62)) ?? []
  return `there is no ${show(word)}${of === '' ? '' : ` in ${of}`}: ${takes(names, word)}`
}

/** The type that CEL found for what stands left of the dot. */
function leftType(node: unknown): string | undefined {
  if (!isObject(node) || !Array.isArray(node['args'])) return undefined
  const [left] = node['args'] as readonly unknown[]
  const type = isObject(left) ? left['checkedType'] : undefined
  return isObject(type) && typeof type['name'] === 'string' ? type['name'] : undefined
}

function aboutCall(error: ParseError | CelTypeError, facts: Facts): string {
  const [, called = ''] = /'(.{1,200})'$/.exec(error.summary) ?? []
  const [, name = ''] = /(?:^|\.)(\w{1,60})\(/.exec(called) ?? []
  const known = FUNCTIONS.find((word) => word === name)
  if (known !== undefined) return `${name}() does not take that: ${called}`
  const near = nearest(name, FUNCTIONS)
  return `there is no function ${show(name || wordAt(error, facts))}${near === undefined ? '' : `: did you mean ${near}?`}`
}

/** What people write who come from other languages. */
const FOREIGN: Readonly<Record<string, string>> = {
  and: '&&',
  or: '||',
  not: '!',
  '=': '==',
  '&': '&&',
  '|': '||',
}

function aboutToken(error: ParseError | CelTypeError, { source }: Facts): string {
  const at = error.range?.start ?? 0
  if (at >= source.trimEnd().length) return 'it ends too early'
  const [word = source[at] ?? ''] = /^\w{1,60}/.exec(source.slice(at)) ?? []
  const meant = FOREIGN[word]
  return meant === undefined ? `${show(word)} cannot stand here` : `write ${meant}, not ${word}`
}

const takes = (names: readonly string[], word: string): string => {
  const near = nearest(word, names)
  return near === undefined ? `there are ${names.join(', ')}` : `did you mean ${near}?`
}

const show = (word: string): string => JSON.stringify(word)

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)

const MAX_SHOWN = 96
const BEFORE = 64

/** The line with the mistake, cut to what fits on one, and a caret under the place. */
function toExcerpt(source: string, at: number): string {
  const place = Math.min(at, source.length)
  const begin = source.lastIndexOf('\n', place - 1) + 1
  const end = source.indexOf('\n', place)
  const line = source.slice(begin, end === -1 ? source.length : end).replaceAll('\t', ' ')
  const column = place - begin
  const from = Math.max(0, column - BEFORE)
  const shown = line.slice(from, from + MAX_SHOWN)
  const lead = from > 0 ? '…' : ''
  return `${lead}${shown}${from + MAX_SHOWN < line.length ? '…' : ''}\n${' '.repeat(lead.length + column - from)}^`
}
