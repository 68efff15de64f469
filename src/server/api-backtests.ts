/**
 * `/api/backtests`: policies tried on the past, started and watched. Neighbours: `api.ts` has let them in,
 * `backtests.ts` runs them. What is ordered is checked here, so that a slip of the pen is told and not passed over.
 */
import { FILTERS } from '../api/filters.ts'
import { readParams, writeQuery } from '../api/params.ts'
import { isObject, type JsonObject } from '../base/json.ts'
import { nearest } from '../base/nearest.ts'
import { SluiceError } from '../base/sluice-error.ts'
import type { BacktestJob, BacktestJobs, BacktestOrder } from '../replay/backtest-jobs.ts'
import type { ExchangeQuery } from '../store/query.ts'
import { fail, say, type Reply } from './api-answer.ts'
import type { ApiOptions, Handler } from './api-handler.ts'
import { RECORDS_OFF } from './api-store.ts'

export function createBacktestHandlers({
  backtests,
}: ApiOptions): Readonly<Record<'list' | 'start' | 'show' | 'cancel', Handler>> {
  const withJobs = (work: (jobs: BacktestJobs) => Reply | Promise<Reply>): Promise<Reply> => {
    const jobs = backtests?.()
    return Promise.resolve(jobs === undefined ? fail(503, RECORDS_OFF) : work(jobs))
  }
  return {
    list: () => withJobs((jobs) => say({ backtests: jobs.list().map(toSummary) })),

    start: ({ body }) =>
      withJobs(async (jobs) => {
        const order = readOrder(body, Date.now())
        if (order instanceof Error) return fail(400, order.message)
        try {
          return say({ backtest: await jobs.start(order) })
        } catch (error) {
          if (error instanceof SluiceError) return fail(400, error.message)
          throw error
        }
      }),

    show: ({ params }) => withJobs((jobs) => toReply(jobs.find(params['id'] ?? ''))),

    cancel: ({ params }) =>
      withJobs(async (jobs) => toReply(await jobs.cancel(params['id'] ?? ''))),
  }
}

const toReply = (job: BacktestJob | undefined): Reply =>
  job === undefined
    ? fail(
        404,
        'There is no such backtest: it was never started here, or newer ones have taken its place',
      )
    : say({ backtest: job })

const toSummary = ({ result: _result, order: _order, ...job }: BacktestJob): object => job

/** What each field takes, and whether that holds. */
const FIELDS: Readonly<
  Record<keyof BacktestOrder, readonly [takes: string, holds: (value: unknown) => boolean]>
> = {
  yaml: ['a text', (value) => typeof value === 'string'],
  policies: [
    'a list of up to 1000 names',
    (value) =>
      Array.isArray(value) &&
      value.length > 0 &&
      value.length <= 1000 &&
      value.every((one) => typeof one === 'string'),
  ],
  edit: [
    'an object with "yaml", and "name" where it is an installed policy',
    (value) =>
      isObject(value) &&
      typeof value['yaml'] === 'string' &&
      (value['name'] === undefined || typeof value['name'] === 'string') &&
      Object.keys(value).every((key) => key === 'yaml' || key === 'name'),
  ],
  isActing: ['true or false', (value) => typeof value === 'boolean'],
  query: ['an object of filters, as GET /api/exchanges has them', isObject],
  limit: ['a number from 1 on', (value) => isWhole(value, 1)],
  against: ['"all" or "own"', (value) => value === 'all' || value === 'own'],
  ask: ['"pass" or "deny"', (value) => value === 'pass' || value === 'deny'],
  examples: ['a number from 0 to 100', (value) => isWhole(value, 0, 100)],
  maxJudgeCalls: ['a number from 0 on', (value) => isWhole(value, 0)],
}

const isWhole = (value: unknown, min: number, max = Number.MAX_SAFE_INTEGER): boolean =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max

function readOrder(body: JsonObject, now: number): BacktestOrder | Error {
  const names = Object.keys(FIELDS) as readonly (keyof BacktestOrder)[]
  for (const [name, value] of Object.entries(body)) {
    const known = names.find((one) => one === name)
    if (known === undefined) {
      const near = nearest(name, names)
      const hint = near === undefined ? '' : `; did you mean "${near}"?`
      return new Error(`There is no such field: there are ${names.join(', ')}${hint}`)
    }
    const [takes, holds] = FIELDS[known]
    if (!holds(value)) return new Error(`"${known}" takes ${takes}`)
  }
  const { query, ...rest } = body
  if (!isObject(query)) return rest
  const values = readParams(FILTERS, writeQuery(query), now)
  return values instanceof Error ? values : { ...rest, query: values as ExchangeQuery }
}
