/**
 * What a policy file may import from `sluice` and `sluice/policy`: the running gateway's own, so that a file works
 * wherever it lies, with or without a package of ours beside it. Neighbours: `policy-file.ts` hands it out; `policy.ts`
 * at the top is the same for whoever installed the package, and has the test kit, which no running policy needs.
 */
import { SluiceError } from '../base/sluice-error.ts'
import { textBlock, toolCallBlock } from '../event/make.ts'
import { findWorkspace, readFacts } from '../facts/read-facts.ts'
import { all } from '../policy/combine.ts'
import { install } from '../policy/installed.ts'
import { definePolicy } from '../policy/policy.ts'
import * as verdicts from '../policy/verdict.ts'
import { approve } from '../stock/approve.ts'
import { checkArgumentsPolicy } from '../stock/check-arguments/check-arguments.ts'
import { codingAgent } from '../stock/coding-agent.ts'
import { factsOf } from '../stock/facts-of.ts'
import { judge } from '../stock/judge/judge.ts'
import { limit } from '../stock/limit.ts'
import { loopBreaker } from '../stock/loop-breaker.ts'
import { observe } from '../stock/observe.ts'
import { redact } from '../stock/redact/redact.ts'
import { replaceText } from '../stock/replace-text.ts'
import { rules } from '../stock/rules/rules.ts'
import { scanResults } from '../stock/scan-results/scan-results.ts'

export const AUTHOR: Readonly<Record<string, unknown>> = {
  ...verdicts,
  definePolicy,
  all,
  install,
  factsOf,
  findWorkspace,
  readFacts,
  SluiceError,
  textBlock,
  toolCallBlock,
  approve,
  checkArgumentsPolicy,
  codingAgent,
  judge,
  limit,
  loopBreaker,
  observe,
  redact,
  replaceText,
  rules,
  scanResults,
}
