/**
 * Rules as they were written → rules that run, or everything that is wrong with them. Neighbours: `rule.ts` has the
 * written form, `language.ts` compiles expressions, `act.ts` says what a match comes to, `judge.ts` asks the rules in
 * turn.
 */
import type { RE2JS } from 're2js'
import { fullName, type BlockOf } from '../../event/block.ts'
import type { Verdict } from '../../policy/verdict.ts'
import { toAct } from './act.ts'
import type { Failure } from './failure.ts'
import type { Findings, RuleBlock } from './findings.ts'
import { createLanguage, type Expression, type Kind, type Language } from './language.ts'
import { Mistake, type Range } from './mistake.ts'
import { toNameGlob } from './patterns.ts'
import { toPlacedRules, type PlacedRule, type RuleLists, type RuleSubject } from './rule.ts'

export interface RunningRule {
  readonly name: string
  readonly on: RuleSubject
  readonly tags: readonly string[]
  readonly count: string | undefined
  /** Whether the rules after it are asked too. */
  readonly goesOn: boolean
  takesTool(block: BlockOf<'tool-call'>): boolean
  /** Whether it matches: true, false, or why that cannot be said. */
  test(findings: Findings): unknown
  /** What a match comes to; `undefined`: nothing, the next rule is asked. */
  act(block: RuleBlock, findings: Findings): Verdict | Failure | undefined
}

/** What is wrong with a rule, and where. */
export interface RuleMistake {
  readonly list: keyof RuleLists
  readonly at: number
  /** Which of its keys, and where in it: `['set', 'command']`, `['patterns', 0]`; none: the rule itself. */
  readonly path: readonly (string | number)[]
  readonly message: string
  /** The expression and a caret below, where it is about one. */
  readonly excerpt: string | undefined
  /** The part of the expression that it is about, where that is known. */
  readonly range?: Range | undefined
}

/** What makes a rule: compiles its parts and notes what is wrong with them. */
export interface RuleMaker {
  readonly on: RuleSubject
  expression(source: string, kind: Kind, path: RuleMistake['path']): Expression | undefined
  /** Takes what was made, and notes the sentence where there is one instead. */
  pattern(made: RE2JS | string, path: RuleMistake['path']): RE2JS | undefined
  wrong(message: string, path?: RuleMistake['path']): undefined
}

const MAX_RULES = 500

/** The rules that are right, in order, and what is wrong with the others. */
export function compileRules(lists: RuleLists): {
  readonly rules: readonly RunningRule[]
  readonly mistakes: readonly RuleMistake[]
} {
  const placed = toPlacedRules(lists)
  const mistakes: RuleMistake[] = []
  const language = createLanguage(countersOf(placed))
  const rules = placed.slice(0, MAX_RULES).flatMap((one) => compileRule(one, language, mistakes))
  const next = placed[MAX_RULES]
  if (next !== undefined) createMaker(next, language, mistakes).wrong(`${MAX_RULES} rules at most`)
  return { rules, mistakes }
}

const COUNTER = /^[A-Za-z_]\w{0,63}$/

const countersOf = (rules: readonly PlacedRule[]): readonly string[] => [
  ...new Set(rules.flatMap(({ rule: { count } }) => (isCounter(count) ? [count] : []))),
]

const isCounter = (name: string | undefined): name is string =>
  name !== undefined && COUNTER.test(name)

function compileRule(
  placed: PlacedRule,
  language: Language,
  mistakes: RuleMistake[],
): RunningRule | readonly [] {
  const { action, list, at, rule } = placed
  const before = mistakes.length
  const maker = createMaker(placed, language, mistakes)
  if (rule.when === undefined && rule.tools === undefined && rule.patterns === undefined)
    maker.wrong('when is missing: an expression that says which calls it is about')
  if (rule.count !== undefined && !isCounter(rule.count))
    maker.wrong('a counter takes letters, digits and _, and no digit first', ['count'])
  if (rule.tools !== undefined && maker.on === 'text')
    maker.wrong('text comes from no tool: remove tools, or on: text', ['tools'])
  const when =
    rule.when === undefined ? undefined : maker.expression(rule.when, 'condition', ['when'])
  const globs = rule.tools?.map((glob, i) => maker.pattern(toNameGlob(glob), ['tools', i]))
  const act = toAct(placed, rule.name ?? `${list}[${at}]`, maker)
  if (mistakes.length > before || act === undefined) return []
  return {
    name: rule.name ?? `${list}[${at}]`,
    on: maker.on,
    tags: rule.tags ?? [],
    count: rule.count,
    goesOn: action === 'tag',
    takesTool: (block) =>
      globs === undefined ||
      globs.some((glob) => glob?.test(block.name) === true || glob?.test(fullName(block)) === true),
    test: (findings) => (when === undefined ? true : when.evaluate(findings)),
    act,
  }
}

function createMaker(
  { list, at, rule }: PlacedRule,
  language: Language,
  mistakes: RuleMistake[],
): RuleMaker {
  const on = rule.on ?? 'tool-call'
  const wrong = (message: string, path: RuleMistake['path'] = [], made?: Mistake): undefined => {
    mistakes.push({ list, at, path, message, excerpt: made?.excerpt, range: made?.range })
  }
  return {
    on,
    wrong: (message, path) => wrong(message, path),
    expression(source, kind, path) {
      const made = language.compile(source, { on, kind })
      return made instanceof Mistake ? wrong(made.message, path, made) : made
    },
    pattern: (made, path) => (typeof made === 'string' ? wrong(made, path) : made),
  }
}
