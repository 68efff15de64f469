/**
 * Backtests that run beside a gateway: started, watched and cancelled by whoever uses its API. Neighbours: `backtest.ts`
 * runs one; `server/` hands in who loads policies. They run in slices on the gateway's own thread and not in another:
 * policies are functions, which cannot be handed to a thread, and judges use the gateway's own upstreams. A slice is
 * shorter than what a stream notices, and the rest between two is as long.
 */
import { SluiceError } from '../base/sluice-error.ts'
import type { ExchangeQuery } from '../store/query.ts'
import { runBacktest, type BacktestOptions } from './backtest.ts'
import type { BacktestProgress, BacktestResult } from './backtest-result.ts'
import type { PastSource } from './backtest-walk.ts'

/** What is to be tried on what. */
export interface BacktestOrder {
  /** A config, or a list of policies, as YAML. */
  readonly yaml?: string | undefined
  /** Installed policies by name; without both: all that are installed. */
  readonly policies?: readonly string[] | undefined
  /**
   * One entry in the place of the installed policy of that name, or (without a name) behind all others. It is tried as if
   * it acted, and compared with what the installed ones would say now, not with what was decided then.
   */
  readonly edit?: { readonly name?: string | undefined; readonly yaml: string } | undefined
  /** Policies in shadow are tried as if they acted. */
  readonly isActing?: boolean | undefined
  readonly query?: ExchangeQuery | undefined
  readonly limit?: number | undefined
  readonly against?: 'all' | 'own' | undefined
  readonly ask?: 'pass' | 'deny' | undefined
  readonly examples?: number | undefined
  readonly maxJudgeCalls?: number | undefined
}

/** What an order comes to. */
export type LoadedBacktest = Pick<
  BacktestOptions,
  'policies' | 'select' | 'baseline' | 'against' | 'callModel' | 'costOf'
>

export interface BacktestJob {
  readonly id: string
  readonly state: 'running' | 'done' | 'cancelled' | 'failed'
  /** Milliseconds since 1970. */
  readonly startedAt: number
  readonly policies: readonly string[]
  readonly order: BacktestOrder
  readonly progress: BacktestProgress
  /** Of a cancelled one: as far as it came. */
  readonly result: BacktestResult | undefined
  readonly error: string | undefined
}

export interface BacktestJobs {
  /** Throws a `SluiceError` that says what is wrong with the policies, or that too many run. */
  start(order: BacktestOrder): Promise<BacktestJob>
  /** The newest first. */
  list(): readonly BacktestJob[]
  find(id: string): BacktestJob | undefined
  /** Resolves when it has stopped; `undefined`: there is none of that id. */
  cancel(id: string): Promise<BacktestJob | undefined>
  close(): Promise<void>
}

export interface BacktestJobsOptions {
  readonly source: PastSource
  load(order: BacktestOrder): Promise<LoadedBacktest>
  createId(): string
  /** Milliseconds since 1970. */
  now(): number
}

const MAX_RUNNING = 2
const MAX_KEPT = 20
/** Well below what a stream's reader notices. */
const SLICE_MS = 6
const REST_MS = 6

const NOT_BEGUN: BacktestProgress = {
  done: 0,
  total: 0,
  changed: 0,
  elapsedMs: 0,
  remainingMs: undefined,
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] }

interface Entry {
  readonly job: Mutable<BacktestJob>
  readonly stop: AbortController
  over: Promise<void>
}

export function createBacktestJobs(options: BacktestJobsOptions): BacktestJobs {
  const entries = new Map<string, Entry>()
  /** Those whose policies are being loaded count too. */
  let running = 0

  async function run(entry: Entry, loaded: LoadedBacktest): Promise<void> {
    const { job, stop } = entry
    const { order } = job
    try {
      const result = await runBacktest({
        ...loaded,
        source: options.source,
        query: order.query ?? {},
        limit: order.limit,
        ask: order.ask,
        examples: order.examples,
        maxJudgeCalls: order.maxJudgeCalls,
        sliceMs: SLICE_MS,
        restMs: REST_MS,
        signal: stop.signal,
        onProgress(progress) {
          job.progress = progress
        },
      })
      job.result = result
      job.state = result.isPartial ? 'cancelled' : 'done'
    } catch (error) {
      job.state = 'failed'
      job.error =
        error instanceof SluiceError ? error.message : 'The records could not be read to the end'
    }
  }

  function keep(entry: Entry): void {
    entries.set(entry.job.id, entry)
    for (const [id, { job }] of entries) {
      if (entries.size <= MAX_KEPT) return
      if (job.state !== 'running') entries.delete(id)
    }
  }

  return {
    async start(order) {
      if (running >= MAX_RUNNING)
        throw new SluiceError(
          'wrong-use',
          `${running} backtests are under way already: wait for one, or cancel one`,
        )
      running += 1
      try {
        const loaded = await options.load(order)
        const job: Entry['job'] = {
          id: options.createId(),
          state: 'running',
          startedAt: options.now(),
          policies: [...new Set(loaded.policies.map(({ policy }) => policy.name))],
          order,
          progress: NOT_BEGUN,
          result: undefined,
          error: undefined,
        }
        const entry: Entry = { job, stop: new AbortController(), over: Promise.resolve() }
        keep(entry)
        running += 1
        entry.over = run(entry, loaded).finally(() => {
          running -= 1
        })
        return { ...job }
      } finally {
        running -= 1
      }
    },
    list: () => [...entries.values()].map(({ job }) => ({ ...job })).toReversed(),
    find(id) {
      const found = entries.get(id)
      return found === undefined ? undefined : { ...found.job }
    },
    async cancel(id) {
      const found = entries.get(id)
      if (found === undefined) return undefined
      found.stop.abort()
      await found.over
      return { ...found.job }
    },
    async close() {
      for (const { stop } of entries.values()) stop.abort()
      await Promise.all([...entries.values()].map(({ over }) => over))
    },
  }
}
