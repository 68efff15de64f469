/**
 * The preset `coding-agent`: rules against what a coding agent should not do by itself, made of nothing but `rules`.
 * Neighbours: the tables are in `coding-agent/`, `rules/` runs them, `facts/` reads the calls. What it cannot see is in
 * `docs/policies/evasions.md`.
 */
import type { RE2JS } from 're2js'
import { SluiceError } from '../base/sluice-error.ts'
import { findWorkspace, readFacts } from '../facts/read-facts.ts'
import type { Policy } from '../policy/policy.ts'
import { withoutAllowed, type Allowed } from './coding-agent/allowed.ts'
import { DESTRUCTION } from './coding-agent/destruction.ts'
import { gitRules, SHARED_BRANCHES } from './coding-agent/git.ts'
import { NETWORK } from './coding-agent/network.ts'
import type { Level, PresetRule } from './coding-agent/preset-rule.ts'
import { SECRETS } from './coding-agent/secrets.ts'
import { SYSTEM } from './coding-agent/system.ts'
import { createRules } from './rules/create-rules.ts'
import { toNameGlob, toPathGlob } from './rules/patterns.ts'
import type { Rule } from './rules/rule.ts'

export interface CodingAgentOptions {
  /** `careful` (default) asks a person where one may well want it; `strict` denies there. */
  readonly level?: Level
  /** Paths that no rule minds: `*` within a folder, `**` over folders. */
  readonly allowPaths?: readonly string[]
  /** Commands that no rule minds, as they are written: `git push --force origin feature/*`. */
  readonly allowCommands?: readonly string[]
  /** Branches that others work on too. Default: main, master and the like. */
  readonly sharedBranches?: readonly string[]
  /** Names of rules that are left out. */
  readonly off?: readonly string[]
  /** Only for tools of these names; `*` stands for any characters. */
  readonly tools?: readonly string[]
}

export function codingAgent(options: CodingAgentOptions = {}): Policy {
  const allowed: Allowed = {
    paths: (options.allowPaths ?? []).map((glob) => orThrow(toPathGlob(glob), glob)),
    commands: (options.allowCommands ?? []).map((glob) => orThrow(toNameGlob(glob), glob)),
  }
  return createRules({
    name: 'coding-agent',
    lists: { rules: toRules(options) },
    salt: JSON.stringify([options.allowPaths, options.allowCommands]),
    reader: {
      findWorkspace,
      readFacts: (call, where) => withoutAllowed(readFacts(call, where), allowed),
    },
  })
}

/** All rules of the preset, denials first: a person is not asked about what is denied anyway. */
export function codingAgentRules(
  sharedBranches: readonly string[] = SHARED_BRANCHES,
): readonly PresetRule[] {
  return [...DESTRUCTION, ...NETWORK, ...SECRETS, ...gitRules(sharedBranches), ...SYSTEM]
}

function toRules({
  level = 'careful',
  off = [],
  tools,
  sharedBranches,
}: CodingAgentOptions): readonly Rule[] {
  const found = codingAgentRules(sharedBranches)
    .filter(({ name }) => !off.includes(name))
    .flatMap((rule): Rule[] => {
      const { name, when, reason, instead } = rule
      const shared = { name, when, reason, tags: [name], ...(tools === undefined ? {} : { tools }) }
      if (rule[level] === 'pass') return []
      if (rule[level] === 'ask') return [{ action: 'ask', ...shared }]
      return [{ action: 'deny', ...shared, ...(instead === undefined ? {} : { instead }) }]
    })
  return found.toSorted((one, other) => rank(one) - rank(other))
}

const rank = ({ action }: Rule): number => (action === 'deny' ? 0 : 1)

function orThrow(glob: RE2JS | string, written: string): RE2JS {
  if (typeof glob !== 'string') return glob
  throw new SluiceError('bad-config', `Cannot use the pattern ${JSON.stringify(written)}: ${glob}`)
}
