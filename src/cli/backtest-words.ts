/**
 * What was typed behind `sluice backtest` → what is tried on what. Neighbours: `backtest.ts`; `api/` has the same filters
 * with the same names.
 */
import { FILTERS } from '../api/filters.ts'
import { readParams, writeQuery } from '../api/params.ts'
import { nearest } from '../base/nearest.ts'
import { SluiceError } from '../base/sluice-error.ts'
import type { ExchangeQuery } from '../store/query.ts'
import { readArguments } from './arguments.ts'

export interface BacktestWords {
  readonly policies: string
  /** Only these of them. */
  readonly names: readonly string[]
  readonly config: string | undefined
  readonly store: string | undefined
  /** Recordings in place of a store. */
  readonly folder: string | undefined
  readonly query: ExchangeQuery
  readonly limit: number | undefined
  readonly against: 'all' | 'own' | undefined
  readonly isActing: boolean
  readonly ask: 'pass' | 'deny' | undefined
  readonly maxJudgeCalls: number | undefined
  readonly examples: number | undefined
  readonly failOn: 'newly-denied' | 'any' | undefined
  readonly isJson: boolean
}

export function readBacktestWords(argv: readonly string[], now: number): BacktestWords {
  const { values, file } = readArguments(argv, {
    policies: { type: 'string' },
    policy: { type: 'string', multiple: true },
    config: { type: 'string' },
    store: { type: 'string' },
    since: { type: 'string' },
    until: { type: 'string' },
    where: { type: 'string', multiple: true },
    limit: { type: 'string' },
    against: { type: 'string' },
    act: { type: 'boolean' },
    ask: { type: 'string' },
    'max-judge-calls': { type: 'string' },
    examples: { type: 'string' },
    'fail-on': { type: 'string' },
    json: { type: 'boolean' },
  })
  if (values.policies === undefined)
    throw new SluiceError(
      'wrong-use',
      'Say which policies to try: sluice backtest --policies sluice.yaml, or a list of policies, or a policy file',
    )
  if (file !== undefined && values.store !== undefined)
    throw new SluiceError('wrong-use', 'Say one of a folder of recordings and --store')
  return {
    policies: values.policies,
    names: values.policy ?? [],
    config: values.config,
    store: values.store,
    folder: file,
    query: readQuery({ since: values.since, until: values.until, where: values.where ?? [] }, now),
    limit: readCount('--limit', values.limit, 1),
    against: readChoice('--against', values.against, ['all', 'own']),
    isActing: values.act === true,
    ask: readChoice('--ask', values.ask, ['pass', 'deny']),
    maxJudgeCalls: readCount('--max-judge-calls', values['max-judge-calls'], 0),
    examples: readCount('--examples', values.examples, 0),
    failOn: readChoice('--fail-on', values['fail-on'], ['newly-denied', 'any']),
    isJson: values.json === true,
  }
}

/** `--since`, `--until` and `--where key=value`. */
export function readQuery(
  typed: {
    readonly since?: string | undefined
    readonly until?: string | undefined
    readonly where: readonly string[]
  },
  now: number,
): ExchangeQuery {
  const words: Record<string, string> = {}
  if (typed.since !== undefined) words['since'] = typed.since
  if (typed.until !== undefined) words['until'] = typed.until
  for (const one of typed.where) {
    const at = one.indexOf('=')
    if (at < 1)
      throw new SluiceError(
        'wrong-use',
        `--where ${one} says nothing: it takes key=value, as in --where tool=Bash; keys are ${Object.keys(FILTERS).join(', ')}`,
      )
    words[one.slice(0, at)] = one.slice(at + 1)
  }
  const read = readParams(FILTERS, writeQuery(words).slice(1), now)
  if (read instanceof Error) throw new SluiceError('wrong-use', read.message)
  return read
}

function readCount(option: string, typed: string | undefined, min: number): number | undefined {
  if (typed === undefined) return undefined
  const count = /^\d{1,9}$/.test(typed) ? Number(typed) : -1
  if (count >= min) return count
  throw new SluiceError('wrong-use', `${option} ${typed}: it takes a number from ${min} on`)
}

function readChoice<const Word extends string>(
  option: string,
  typed: string | undefined,
  words: readonly Word[],
): Word | undefined {
  const found = words.find((word) => word === typed)
  if (typed === undefined || found !== undefined) return found
  const near = nearest(typed, words)
  const hint = near === undefined ? '' : `; did you mean ${near}?`
  throw new SluiceError('wrong-use', `${option} ${typed}: it takes ${words.join(', ')}${hint}`)
}
