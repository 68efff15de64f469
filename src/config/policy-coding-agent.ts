/**
 * The preset `coding-agent` in `sluice.yaml`. Neighbours: `stock/coding-agent.ts` makes the policy; `policy-entry.ts` has
 * the contract.
 */
import { codingAgent, codingAgentRules, type CodingAgentOptions } from '../stock/coding-agent.ts'
import { LEVELS } from '../stock/coding-agent/preset-rule.ts'
import { toNameGlob, toPathGlob } from '../stock/rules/patterns.ts'
import { oneOrMany, type Placed } from './collections.ts'
import type { PolicyEntry } from './policy-entry.ts'
import { choice, text } from './text.ts'

const MAX_LENGTH = 1000

/** The sentence, where there is one instead of a pattern. */
const wrong = (made: unknown): string | undefined => (typeof made === 'string' ? made : undefined)

const many = (takes: string, check?: (written: string) => string | undefined) =>
  oneOrMany(text({ maxLength: MAX_LENGTH, ...(check === undefined ? {} : { check }) }), {
    max: 200,
    takes,
  })

const shape = {
  level: {
    says: 'careful asks a person where one may well want it, strict denies there (default careful)',
    field: choice(LEVELS, 'level'),
  },
  allowPaths: {
    says: 'Paths that no rule minds; * stays within a folder, ** does not',
    field: many('a path, or a list', (glob) => wrong(toPathGlob(glob))),
  },
  allowCommands: {
    says: 'Commands that no rule minds, as they are written; * stands for any characters',
    field: many('a command, or a list', (glob) => wrong(toNameGlob(glob))),
  },
  sharedBranches: {
    says: 'Branches that others work on too (default main, master and the like)',
    field: many('the name of a branch, or a list'),
  },
  off: {
    says: 'Names of rules that are left out',
    field: oneOrMany(
      choice(
        codingAgentRules().map(({ name }) => name),
        'rule',
      ),
      { max: 100, takes: 'the name of a rule, or a list' },
    ),
  },
  tools: {
    says: 'Only for tools of these names; * stands for any characters',
    field: many('the name of a tool, or a list', (glob) => wrong(toNameGlob(glob))),
  },
} as const

export const codingAgentEntry: PolicyEntry<typeof shape> = {
  says: 'Keeps a coding agent from what cannot be undone, from secrets, and from what nobody can look into',
  shape,
  make({ values }, reading) {
    if (reading.notes.hasMistakes) return undefined
    return codingAgent({
      ...(values.level === undefined ? {} : { level: values.level }),
      ...toOption('allowPaths', values.allowPaths),
      ...toOption('allowCommands', values.allowCommands),
      ...toOption('sharedBranches', values.sharedBranches),
      ...toOption('off', values.off),
      ...toOption('tools', values.tools),
    })
  },
}

const toOption = (
  name: keyof CodingAgentOptions,
  written: readonly Placed<string>[] | undefined,
): CodingAgentOptions =>
  written === undefined ? {} : { [name]: written.map(({ value }) => value) }
