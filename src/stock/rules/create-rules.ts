/**
 * Rules → a policy. Neighbours: `rules.ts` and the presets call it with who finds facts, `judge.ts` does the judging.
 * Knows no wire and no file.
 */
import { hashHex } from '../../base/hash.ts'
import { SluiceError } from '../../base/sluice-error.ts'
import { fullName } from '../../event/block.ts'
import { definePolicy, type HeldType, type Policy } from '../../policy/policy.ts'
import { compileRules, type RuleMistake, type RunningRule } from './compile.ts'
import type { FactsReader, RuleBlock, RuleMemory, RuleState } from './findings.ts'
import { judgeBlock } from './judge.ts'
import type { RuleLists } from './rule.ts'

/** How many tool names are remembered with the rules that are for them; a client has some dozens. */
const MAX_NAMES = 1000
/** A model may make up any name. */
const MAX_NAME = 256

export function createRules(of: {
  readonly name: string
  readonly lists: RuleLists
  readonly reader: FactsReader
  /** What makes two policies of the same rules different, for the version. */
  readonly salt?: string
  /** The same rules, where they are compiled already. */
  readonly compiled?: ReturnType<typeof compileRules>
}): Policy {
  const { rules, mistakes } = of.compiled ?? compileRules(of.lists)
  if (mistakes.length > 0) throw new SluiceError('bad-config', mistakes.map(toLine).join('\n'))
  const pick = createPick(rules)
  return definePolicy<HeldType, RuleState, RuleMemory>({
    name: of.name,
    version: hashHex(JSON.stringify(of.lists) + (of.salt ?? '')),
    holds: toHeld(rules),
    state: () => ({ request: undefined, client: undefined, workspace: undefined }),
    memory: () => ({ counts: new Map(countersOf(rules)) }),
    judge: (block, ctx) => judgeBlock(block, ctx, { rules: pick(block), reader: of.reader }),
  })
}

/** `deny[0].when: there is no variable "tol": …`, and the expression with a caret below. */
function toLine({ list, at, path, message, excerpt }: RuleMistake): string {
  const where = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`)).join('')
  return `${list}[${at}]${where}: ${message}${toExcerptLines(excerpt)}`
}

/** The expression and its caret on lines of their own, to be put behind a sentence. */
export const toExcerptLines = (excerpt: string | undefined): string =>
  excerpt === undefined ? '' : `\n    ${excerpt.replaceAll('\n', '\n    ')}`

const toHeld = (rules: readonly RunningRule[]): readonly HeldType[] => [
  ...(rules.some(({ on }) => on === 'tool-call') ? (['tool-call'] as const) : []),
  ...(rules.some(({ on }) => on === 'text') ? (['text', 'refusal'] as const) : []),
]

/** Each begins at nothing, so that an expression that asks finds a number. */
const countersOf = (rules: readonly RunningRule[]): readonly [string, number][] =>
  rules.flatMap(({ count }): [string, number][] => (count === undefined ? [] : [[count, 0]]))

/** The rules that are for a block. A client calls the same few tools again and again. */
function createPick(rules: readonly RunningRule[]): (block: RuleBlock) => readonly RunningRule[] {
  const forText = rules.filter(({ on }) => on === 'text')
  const forCalls = rules.filter(({ on }) => on === 'tool-call')
  const byName = new Map<string, readonly RunningRule[]>()
  return (block) => {
    if (block.type !== 'tool-call') return forText
    const key = `${block.name} ${fullName(block)}`
    const known = byName.get(key)
    if (known !== undefined) return known
    const found = forCalls.filter((rule) => rule.takesTool(block))
    if (key.length > MAX_NAME) return found
    if (byName.size >= MAX_NAMES) byName.clear()
    byName.set(key, found)
    return found
  }
}
