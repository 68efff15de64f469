/**
 * What the match of a rule comes to: its action → a verdict. Neighbours: `compile.ts` asks for one per rule, `judge.ts`
 * calls it; `redact.ts` masks. Knows no expression but by asking it.
 */
import { ask, deny, pass, replace, rewrite, type Verdict } from '../../policy/verdict.ts'
import { toJson } from './arguments.ts'
import type { RuleMaker, RunningRule } from './compile.ts'
import { Failure } from './failure.ts'
import type { RuleBlock } from './findings.ts'
import type { Expression } from './language.ts'
import { toPattern } from './patterns.ts'
import { createMask, type Mask } from './redact.ts'
import type { LooseRule, PlacedRule } from './rule.ts'

type Act = RunningRule['act']

/** `undefined` when something is not right, which is noted. */
export function toAct(
  { action, rule }: PlacedRule,
  name: string,
  maker: RuleMaker,
): Act | undefined {
  const details = { rule: name }
  const remarks = { details, ...(rule.reason === undefined ? {} : { reason: rule.reason }) }
  switch (action) {
    case 'deny': {
      const reason = rule.reason ?? maker.wrong('reason is missing: why, for model and person')
      const instead = rule.instead === undefined ? {} : { instead: rule.instead }
      return reason === undefined ? undefined : () => deny(reason, { details, ...instead })
    }
    case 'ask': {
      const question = rule.reason ?? maker.wrong('reason is missing: what a person is to decide')
      return question === undefined ? undefined : () => ask(question, remarks)
    }
    case 'rewrite':
      return toRewrite(rule, remarks, maker)
    case 'redact':
      return toRedact(rule, remarks, maker)
    case 'tag':
      if (rule.tags === undefined) return maker.wrong('tags are missing: what is noted')
      return () => pass(remarks)
    case 'allow':
      return () => pass(remarks)
  }
}

type Remarks = NonNullable<Parameters<typeof rewrite>[1]>

/** The one key for what has no arguments: a text, or a call of free text. */
const WHOLE = 'text'

function toRewrite({ set }: LooseRule, remarks: Remarks, maker: RuleMaker): Act | undefined {
  if (set === undefined || Object.keys(set).length === 0)
    return maker.wrong('set is missing: a map from argument to its new value')
  if (maker.on === 'text' && Object.keys(set).some((key) => key !== WHOLE))
    return maker.wrong(`for text there is only set: { ${WHOLE}: … }`, ['set'])
  const values = Object.entries(set).map(([key, value]): [string, Expression | undefined] => [
    key,
    typeof value === 'string'
      ? maker.expression(value, 'value', ['set', key])
      : { evaluate: () => value },
  ])
  return (block, findings) => {
    const changes: [string, unknown][] = []
    for (const [key, expression] of values) {
      const value = expression?.evaluate(findings)
      if (value instanceof Failure) return value
      const json = toJson(value)
      if (json === undefined) return new Failure('no_json')
      changes.push([key, json])
    }
    return toRewritten(block, changes, remarks)
  }
}

function toRewritten(
  block: RuleBlock,
  changes: readonly (readonly [string, unknown])[],
  remarks: Remarks,
): Verdict | Failure {
  const args = block.type === 'tool-call' ? block.args() : undefined
  if (args !== undefined)
    return rewrite(Object.fromEntries([...Object.entries(args), ...changes]), remarks)
  const [, whole] = changes.find(([key]) => key === WHOLE) ?? []
  if (typeof whole !== 'string' || !isFree(block)) return new Failure('no_arguments')
  return toWhole(block, whole, remarks)
}

/** Whether it is a text as a whole: one of an answer, or the arguments of a call of free text. */
const isFree = (block: RuleBlock): boolean =>
  block.type !== 'tool-call' || block.dialect === 'custom'

const toWhole = (block: RuleBlock, text: string, remarks: Remarks): Verdict =>
  block.type === 'tool-call' ? rewrite(text, remarks) : replace({ type: 'text', text }, remarks)

function toRedact(rule: LooseRule, remarks: Remarks, maker: RuleMaker): Act | undefined {
  if (rule.patterns === undefined || rule.patterns.length === 0)
    return maker.wrong('patterns are missing: what is masked, as RE2')
  const patterns = rule.patterns.flatMap(
    (pattern, at) => maker.pattern(toPattern(pattern), ['patterns', at]) ?? [],
  )
  const mask = createMask(patterns, rule.with ?? '[redacted]')
  return (block) => toRedacted(block, mask, remarks)
}

function toRedacted(block: RuleBlock, mask: Mask, remarks: Remarks): Verdict | Failure | undefined {
  if (isFree(block)) {
    const before = block.type === 'tool-call' ? block.arguments : block.text
    const text = mask.text(before)
    return text === before ? undefined : toWhole(block, text, remarks)
  }
  const args = block.type === 'tool-call' ? block.args() : undefined
  if (args === undefined) return new Failure('no_arguments')
  const masked = mask.value(args)
  return masked === args ? undefined : rewrite(masked, remarks)
}
