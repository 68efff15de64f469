/**
 * The policy `rules`: what a person wrote in CEL decides on calls and texts. Neighbours: `create-rules.ts` makes it,
 * `facts/` finds out what a call would do, `config/policy-rules.ts` is its YAML.
 */
import { findWorkspace, readFacts } from '../../facts/read-facts.ts'
import type { Policy } from '../../policy/policy.ts'
import type { compileRules } from './compile.ts'
import { createRules } from './create-rules.ts'
import type { RuleLists } from './rule.ts'

export interface RulesOptions extends RuleLists {
  /** What it is called in records. Default `rules`. */
  readonly name?: string
}

/** Throws when something is not right with the rules, and says all of it. */
export function rules({ name = 'rules', ...lists }: RulesOptions): Policy {
  return createRules({ name, lists, reader: READER })
}

/** The same of rules that whoever reads them has compiled, to tell of mistakes at their places. */
export const compiledRules = (
  lists: RuleLists,
  compiled: ReturnType<typeof compileRules>,
): Policy => createRules({ name: 'rules', lists, reader: READER, compiled })

const READER = { readFacts, findWorkspace }
