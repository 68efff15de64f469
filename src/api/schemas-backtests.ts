/**
 * What the API says of backtests, for machines. Neighbours: `schemas.ts` has the rest; the types are those of `replay/`.
 */
import type { BacktestJob, BacktestOrder } from '../replay/backtest-jobs.ts'
import type {
  BacktestProgress,
  BacktestResult,
  ChangeExample,
  ChangeRow,
  ShadowRow,
} from '../replay/backtest-result.ts'
import type { ChangeKind } from '../replay/compare-verdicts.ts'
import { FILTERS } from './filters.ts'
import { toParamSchema } from './params.ts'
import {
  counts,
  flag,
  list,
  maybe,
  number,
  object,
  oneOf,
  ref,
  text,
  time,
  whole,
  type JsonSchema,
} from './schema.ts'
import type { BacktestAnswer, BacktestsAnswer, BacktestSummary } from './types.ts'
import { all } from './words.ts'

const CHANGE_KINDS = all<ChangeKind>({
  'newly-denied': true,
  'newly-passed': true,
  rewritten: true,
  'newly-asked': true,
  'no-longer-asked': true,
  'no-longer-rewritten': true,
})

const JOB = {
  id: text,
  state: oneOf(['running', 'done', 'cancelled', 'failed']),
  startedAt: time,
  policies: list(text),
  progress: object<BacktestProgress>({
    done: whole,
    total: whole,
    changed: whole,
    elapsedMs: number,
    remainingMs: maybe(number),
  }),
  error: maybe(text),
} as const

const QUERY: JsonSchema = {
  type: 'object',
  properties: Object.fromEntries(
    Object.entries(FILTERS).map(([name, param]) => [name, toParamSchema(param)]),
  ),
  additionalProperties: false,
}

export const BACKTEST_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  BacktestOrder: object<BacktestOrder>({
    yaml: maybe({ type: 'string', description: 'A config, or a list of stock policies, as YAML' }),
    policies: maybe({ ...list(text), description: 'Installed policies by name' }),
    edit: maybe({
      ...object<NonNullable<BacktestOrder['edit']>>({ name: maybe(text), yaml: text }),
      description:
        'One entry in the place of the installed policy of that name, or a new one: compared with what the installed ones would say now',
    }),
    isActing: maybe(flag),
    query: maybe(QUERY),
    limit: maybe(whole),
    against: maybe(oneOf(['all', 'own'])),
    ask: maybe(oneOf(['pass', 'deny'])),
    examples: maybe(whole),
    maxJudgeCalls: maybe(whole),
  }),
  BacktestResult: object<BacktestResult>({
    isPartial: flag,
    exchanges: object<BacktestResult['exchanges']>({
      seen: whole,
      run: whole,
      passedOver: whole,
      metadataOnly: whole,
      dropped: whole,
      redacted: whole,
      failed: whole,
      changed: whole,
      oldestAt: maybe(time),
      newestAt: maybe(time),
    }),
    same: whole,
    changes: counts,
    rows: list(
      object<ChangeRow>({
        kind: oneOf(CHANGE_KINDS),
        policy: text,
        rule: text,
        tool: text,
        count: whole,
        examples: list(
          object<ChangeExample>({
            exchangeId: text,
            startedAt: time,
            reason: maybe(text),
            original: maybe(text),
            delivered: maybe(text),
            before: text,
          }),
        ),
      }),
    ),
    shadow: list(
      object<ShadowRow>({ policy: text, type: text, rule: text, tool: text, count: whole }),
    ),
    asks: whole,
    errors: counts,
    judges: object<BacktestResult['judges']>({
      calls: whole,
      reused: whole,
      unjudged: whole,
      inputTokens: whole,
      outputTokens: whole,
      cost: maybe(number),
      ms: number,
    }),
    problems: list(text),
    tookMs: number,
  }),
  BacktestSummary: object<BacktestSummary>(JOB),
  BacktestJob: object<BacktestJob>({
    ...JOB,
    order: ref('BacktestOrder'),
    result: maybe(ref('BacktestResult')),
  }),
  Backtest: object<BacktestAnswer>({ backtest: ref('BacktestJob') }),
  Backtests: object<BacktestsAnswer>({ backtests: list(ref('BacktestSummary')) }),
}
