/**
 * What a policy looks for and what it puts in its place, worked out once: automata, marks. Neighbours: `redact.ts` makes
 * one of its options; `answer.ts` and `request.ts` ask it for finders.
 */
import { createAutomaton, type Automaton } from './automaton.ts'
import type { Decide, Finder } from './find.ts'
import { JsonFinder } from './json-finder.ts'
import { beginningOf, MARK_KIND, markSpec, toMark, type MarkBook } from './marks.ts'
import { toReady, type Pattern, type PatternSpec } from './pattern.ts'
import { Scanner } from './scanner.ts'

export interface SearchOptions {
  readonly specs: readonly PatternSpec[]
  readonly template: string
  /** Whether marks have numbers: then the value of each find is asked for. */
  readonly isNumbered: boolean
  /** Whether marks in calls are turned back. */
  readonly restores: boolean
}

/** What happens in one exchange. */
export interface Search {
  /** In plain text. */
  inText(): Finder
  /** In the arguments of a call. `isAnswer`: of one that goes to the client. */
  inCall(isJson: boolean, isAnswer: boolean): Finder
  /** How much was hidden, by kind. */
  readonly counts: ReadonlyMap<string, number>
}

/** `book`: where marks have numbers. */
export type StartSearch = (book: MarkBook | undefined) => Search

export function prepareSearch(options: SearchOptions): StartSearch {
  const { template, isNumbered, restores } = options
  const beginning = beginningOf(template)
  const patterns = options.specs.map((spec) =>
    isNumbered && spec.isWide === true ? withoutMarks(readyOf(spec), beginning) : readyOf(spec),
  )
  const automaton = createAutomaton(patterns)
  const restoring = restores
    ? createAutomaton([toReady(markSpec(template)), ...patterns])
    : automaton
  const plain = new Map<string, string>()
  const plainMark = (kind: string): string => {
    const known = plain.get(kind)
    if (known !== undefined) return known
    const mark = toMark(template, kind, 0)
    plain.set(kind, mark)
    return mark
  }
  return (book) => {
    const counts = new Map<string, number>()
    const decide: Decide = (kind, value) => {
      counts.set(kind, (counts.get(kind) ?? 0) + 1)
      return book?.markOf(kind, value) ?? plainMark(kind)
    }
    const restore: Decide = (kind, value) => {
      if (kind !== MARK_KIND) return decide(kind, value)
      return value === undefined ? undefined : book?.valueOf(value)
    }
    const find = (by: Automaton, isJson: boolean, how: Decide): Finder =>
      new (isJson ? JsonFinder : Scanner)(by, { decide: how, isWhole: isNumbered })
    return {
      counts,
      inText: () => find(automaton, false, decide),
      inCall: (isJson, isAnswer) =>
        isAnswer ? find(restoring, isJson, restore) : find(automaton, isJson, decide),
    }
  }
}

/** Those that come along are read once, however many policies there are. */
const ready = new WeakMap<PatternSpec, Pattern>()

function readyOf(spec: PatternSpec): Pattern {
  const made = ready.get(spec) ?? toReady(spec)
  ready.set(spec, made)
  return made
}

/** What was hidden before comes back in the next request, and is no secret any more. */
function withoutMarks(pattern: Pattern, beginning: string): Pattern {
  const { check } = pattern
  const isOfMark = (value: string): boolean => {
    if (value.includes(beginning)) return true
    for (let length = 1; length < beginning.length; length++)
      if (value.endsWith(beginning.slice(0, length))) return true
    return false
  }
  return {
    ...pattern,
    check: (value, before) => !isOfMark(value) && (check === undefined || check(value, before)),
  }
}

/** A whole text with what was found in it hidden; the same string where nothing was. */
export function hideIn(text: string, finder: Finder): string {
  finder.push(text)
  finder.end()
  const said: string[] = []
  let at = 0
  for (const { start, end, becomes } of finder.finds) {
    if (becomes === undefined) continue
    said.push(text.slice(at, start), becomes)
    at = end
  }
  return at === 0 ? text : said.join('') + text.slice(at)
}
