/**
 * What is to be replaced, as one search that can be run on a stream. Neighbours: `../replace-text.ts` and its helpers use
 * it, `../pattern.ts` reads each pattern.
 */
import { SluiceError } from '../../base/sluice-error.ts'
import { toPattern, wordToPattern } from '../pattern.ts'
import { toProgram } from './program.ts'
import { createStreamMatcher, type StreamMatcher } from './stream-matcher.ts'

export interface Replacement {
  /** Words as they are written. */
  readonly words?: readonly string[]
  /** RE2 patterns. */
  readonly patterns?: readonly string[]
  /** What stands in their place; empty takes them out. */
  readonly with: string
  /** Default: as in the options. */
  readonly ignoreCase?: boolean
  /** Whether a word may be a part of another one. Default no. */
  readonly isPart?: boolean
}

export interface SearchOptions {
  readonly replace: readonly Replacement[]
  readonly ignoreCase?: boolean
  readonly maxMatch?: number
}

/** What is looked for, and what it becomes. */
export interface Search {
  createMatcher(): StreamMatcher
  /** What stands in the place of a match of that pattern. */
  readonly becomes: readonly string[]
}

const MAX_MATCH = 256

export function toSearch({ replace, ignoreCase, maxMatch = MAX_MATCH }: SearchOptions): Search {
  const rules = replace.flatMap((one) => toSources(one).map((source) => ({ source, one })))
  const patterns = rules.map(({ source, one }) => {
    const made = toPattern(source, { ignoreCase: one.ignoreCase ?? ignoreCase })
    if (made.ok) return made.pattern
    throw new SluiceError('wrong-use', `Cannot replace by the pattern "${source}": ${made.message}`)
  })
  const program = toProgram(patterns)
  return {
    createMatcher: () => createStreamMatcher(program, maxMatch),
    becomes: rules.map(({ one }) => one.with),
  }
}

const toSources = ({ words = [], patterns = [], isPart = false }: Replacement): string[] => [
  // Of words that begin alike the longest is meant.
  ...words.toSorted((a, b) => b.length - a.length).map((word) => wordToPattern(word, !isPart)),
  ...patterns,
]
