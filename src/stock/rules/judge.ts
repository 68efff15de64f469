/**
 * A block and rules → a verdict: the rules are asked in turn, the first match decides, tags are gathered on the way.
 * Neighbours: `compile.ts` makes the rules, `findings.ts` what they ask, `rules.ts` is the policy around it. A missing
 * field means no match; whatever else goes wrong denies.
 */
import { deny, pass, type Verdict } from '../../policy/verdict.ts'
import type { RunningRule } from './compile.ts'
import { Failure, MISSING } from './failure.ts'
import { Findings, type FactsReader, type RuleBlock, type RuleContext } from './findings.ts'

export function judgeBlock(
  block: RuleBlock,
  ctx: RuleContext,
  by: { readonly rules: readonly RunningRule[]; readonly reader: FactsReader },
): Verdict {
  const findings = new Findings(block, ctx, by.reader)
  const tags: string[] = []
  for (const rule of by.rules) {
    const isMatch = rule.test(findings)
    if (findings.doubt.isUnreadable) return unreadable(rule, tags)
    if (isMatch === false || isMatch === MISSING) continue
    if (isMatch !== true) return failed(rule, isMatch, tags)
    const verdict = rule.act(block, findings)
    if (findings.doubt.isUnreadable) return unreadable(rule, tags)
    if (verdict === undefined || verdict === MISSING) continue
    if (verdict instanceof Failure) return failed(rule, verdict, tags)
    if (rule.count !== undefined) count(rule.count, ctx)
    tags.push(...rule.tags)
    if (!rule.goesOn) return tags.length === 0 ? verdict : { ...verdict, tags }
  }
  return tags.length === 0 ? pass() : pass({ tags })
}

function count(name: string, { memory: { counts } }: RuleContext): void {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}

const failed = ({ name }: RunningRule, failure: unknown, tags: readonly string[]): Verdict => {
  const code = failure instanceof Failure ? failure.code : 'no_condition'
  return deny(
    `Rule ${name} could not be evaluated (${code.replaceAll('_', ' ')}), so this is not allowed.`,
    { details: { rule: name, error: code }, tags },
  )
}

const unreadable = ({ name }: RunningRule, tags: readonly string[]): Verdict =>
  deny(
    `The arguments of this call are no JSON object that can be read, so rule ${name} could not be evaluated.`,
    {
      instead: 'Make the same call with its arguments as one valid JSON object.',
      details: { rule: name, error: 'unreadable_arguments' },
      tags,
    },
  )
