/**
 * The policies that come along, by the name that `use` calls them. Neighbours: each `policy-*.ts` has one,
 * `shape-policy.ts` reads them, `json-schema.ts` tells editors of them.
 */
import { approveEntry } from './policy-approve.ts'
import { checkArgumentsEntry } from './policy-check-arguments.ts'
import { codingAgentEntry } from './policy-coding-agent.ts'
import type { PolicyEntry } from './policy-entry.ts'
import { judgeEntry } from './policy-judge.ts'
import { limitEntry } from './policy-limit.ts'
import { loopBreakerEntry } from './policy-loop-breaker.ts'
import { observeEntry } from './policy-observe.ts'
import { redactEntry } from './policy-redact.ts'
import { replaceTextEntry } from './policy-replace-text.ts'
import { rulesEntry } from './policy-rules.ts'
import { scanResultsEntry } from './policy-scan-results.ts'

export const STOCK: Readonly<Record<string, PolicyEntry>> = {
  approve: approveEntry,
  'check-arguments': checkArgumentsEntry,
  'coding-agent': codingAgentEntry,
  judge: judgeEntry,
  limit: limitEntry,
  'loop-breaker': loopBreakerEntry,
  observe: observeEntry,
  redact: redactEntry,
  'replace-text': replaceTextEntry,
  rules: rulesEntry,
  'scan-results': scanResultsEntry,
}
