/**
 * The words of rules: CEL with our variables, our types, `re()` and `glob()`. Text → an expression that can be asked
 * again and again, or what is wrong with it. Neighbours: `views.ts` has the values, `inspect.ts` refuses what CEL would
 * take, `mistake.ts` puts errors into words, `budget.ts` ends what takes too long. Knows no rule.
 */
import { Environment, type ParseResult } from '@marcbachmann/cel-js'
import type { RE2JS } from 're2js'
import { createBudget, type Budget } from './budget.ts'
import { Failure, toFailure } from './failure.ts'
import { inspect } from './inspect.ts'
import { fromError, toMistake, type Mistake } from './mistake.ts'
import { globKey } from './patterns.ts'
import type { RuleSubject } from './rule.ts'
import { FIELDS, VARIABLES, type TypeName } from './vocabulary.ts'
import * as views from './views.ts'

export interface Expression {
  /** Its value, or why it has none. */
  evaluate(variables: object): unknown
}

/** What an expression gives: a condition is true or false, a value may be anything. */
export type Kind = 'condition' | 'value'

export interface Language {
  compile(
    source: string,
    as: { readonly on: RuleSubject; readonly kind: Kind },
  ): Expression | Mistake
}

/** Longer ones cannot be read by the person who must answer for them. */
const MAX_LENGTH = 8000

const LIMITS = { maxAstNodes: 2000, maxDepth: 48, maxListElements: 500, maxMapEntries: 100 }

const CLASSES: Readonly<Record<TypeName, new (...args: never[]) => object>> = {
  Tool: views.ToolView,
  Text: views.TextView,
  Request: views.RequestView,
  Client: views.ClientView,
  Counters: views.CountersView,
  Shell: views.ShellView,
  Command: views.CommandView,
  Redirect: views.RedirectView,
  Files: views.FilesView,
}

/** One language for all rules of a policy: `counters` are the names that its rules count under. */
export function createLanguage(counters: readonly string[]): Language {
  const patterns = new Map<string, RE2JS>()
  const budget = createBudget()
  const vocabulary = {
    ...FIELDS,
    Counters: Object.fromEntries(counters.map((name) => [name, 'int'])),
  }
  const environments = {
    'tool-call': createEnvironment('tool-call', vocabulary, patterns),
    text: createEnvironment('text', vocabulary, patterns),
  }
  return {
    compile(source, { on, kind }) {
      if (source.length > MAX_LENGTH)
        return toMistake(`an expression takes ${MAX_LENGTH} characters at most`, source)
      try {
        const parsed = environments[on].parse(source)
        const wrong = inspect(parsed.ast, { source, patterns, budget })
        if (wrong !== undefined) return wrong
        const { valid, type = 'dyn', error } = parsed.check()
        if (!valid) return fromError(error, { source, on, fields: vocabulary })
        if (kind === 'condition' && type !== 'bool' && type !== 'dyn')
          return toMistake(`it gives ${article(type)}, not true or false`, source)
        return { evaluate: (variables) => evaluate(parsed, variables, budget) }
      } catch (error) {
        return fromError(error, { source, on, fields: vocabulary })
      }
    },
  }
}

const article = (type: string): string => (/^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`)

function evaluate(parsed: ParseResult, variables: object, budget: Budget): unknown {
  budget.begin()
  try {
    const value: unknown = parsed(variables)
    // CEL swallows an error on one side of `||` when the other side is true: a limit must not go that way.
    return budget.isSpent() ? new Failure('limit') : value
  } catch (error) {
    return budget.isSpent() ? new Failure('limit') : toFailure(error)
  }
}

function createEnvironment(
  on: RuleSubject,
  vocabulary: Readonly<Record<TypeName, Readonly<Record<string, string>>>>,
  patterns: ReadonlyMap<string, RE2JS>,
): Environment {
  const environment = new Environment({ homogeneousAggregateLiterals: false, limits: LIMITS })
  // All names first: the fields of one type name the others.
  for (const type of TYPE_ORDER)
    environment.registerType(type, { ctor: CLASSES[type], fields: { ...vocabulary[type] } })
  for (const { name, type, subjects } of VARIABLES)
    if (subjects.includes(on)) environment.registerVariable(name, type)
  // Only literals come here (`inspect.ts`), and those are compiled.
  const test = (text: string, pattern: string): boolean =>
    patterns.get(pattern)?.test(text) ?? false
  const testGlob = (text: string, glob: string): boolean => test(text, globKey(glob))
  environment
    .registerFunction('re(string, string): bool', test)
    .registerFunction('string.re(string): bool', test)
    .registerFunction('glob(string, string): bool', testGlob)
    .registerFunction('string.glob(string): bool', testGlob)
    .registerFunction('string.isUnder(string): bool', isUnder)
  return environment
}

/** Types before those that have fields of them. */
const TYPE_ORDER: readonly TypeName[] = [
  'Redirect',
  'Command',
  'Shell',
  'Files',
  'Tool',
  'Text',
  'Request',
  'Client',
  'Counters',
]

const isUnder = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`)
