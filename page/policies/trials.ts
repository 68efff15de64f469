/**
 * Texts that are tried on recorded exchanges: which trial belongs to which draft, also while another view is open.
 * Neighbours: `trial.tsx` starts and shows one, the gateway runs it.
 */
import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import type { BacktestAnswer } from '../../src/api/types.ts'
import type { BacktestOrder } from '../../src/replay/backtest-jobs.ts'
import type { ChangeKind } from '../../src/replay/compare-verdicts.ts'
import { api } from '../core/api.ts'
import { createStore } from '../core/store.ts'

export interface Trial {
  readonly id: string
  /** What was tried: it may have changed since. */
  readonly yaml: string | undefined
}

const AGAIN_MS = 300

/** By the keys of drafts. */
export const trials = createStore<Readonly<Record<string, Trial>>>({})

/** `yaml`: in the place of the installed policy of that name, or as a new one; without it the installed one as if it acted. */
export async function startTrial(
  key: string,
  {
    name,
    yaml,
    limit,
    since,
  }: {
    name?: string | undefined
    yaml?: string | undefined
    limit: number
    since?: number | undefined
  },
): Promise<void> {
  const order: BacktestOrder =
    yaml === undefined
      ? { policies: name === undefined ? [] : [name], isActing: true }
      : { edit: { yaml, ...(name === undefined ? {} : { name }) } }
  const query = since === undefined ? {} : { query: { since } }
  const { backtest } = await api.startBacktest({ ...order, ...query, limit })
  trials.set({ ...trials.get(), [key]: { id: backtest.id, yaml } })
}

export const useTrial = (id: string): UseQueryResult<BacktestAnswer> =>
  useQuery({
    queryKey: ['backtest', id],
    queryFn: () => api.backtest(id),
    refetchInterval: ({ state: { data } }) =>
      data === undefined || data.backtest.state === 'running' ? AGAIN_MS : false,
    staleTime: AGAIN_MS,
  })

/** In the words of docs/records/backtest.md, and with the colour of the verdict that it comes to. */
export const CHANGE_WORDS: Readonly<Record<ChangeKind, readonly [says: string, verdict: string]>> =
  {
    'newly-denied': ['newly denied', 'deny'],
    'newly-asked': ['newly asked', 'ask'],
    rewritten: ['rewritten', 'rewrite'],
    'newly-passed': ['newly passed', 'pass'],
    'no-longer-asked': ['no longer asked', 'pass'],
    'no-longer-rewritten': ['no longer rewritten', 'pass'],
  }
