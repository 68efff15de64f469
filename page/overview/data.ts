/** What the overview asks of the gateway: few questions, each answered by the store in steps, and none while nobody looks. */
import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query'
import type { PolicySummary, StatsBucket, StatsQuery } from '../../src/store/query.ts'
import { api } from '../core/api.ts'
import { toExchangeQuery, type Filter } from '../live/filter.ts'
import { before, refreshMs, type Range } from './range.ts'

export type SplitBy = NonNullable<StatsQuery['by']>

/** One step that holds all: the longest that the API takes. */
const ALL = 366 * 86_400_000

type Buckets = UseQueryResult<readonly StatsBucket[]>

export interface OverviewData {
  /** In steps; a line for each value where it is split. */
  readonly steps: Buckets
  readonly byUpstream: Buckets
  readonly total: Buckets
  readonly totalBefore: Buckets
  /** In all, by one thing. */
  readonly sums: Buckets
  readonly policies: UseQueryResult<readonly PolicySummary[]>
}

interface Asked {
  readonly range: Range
  readonly filter: Filter
  readonly split: SplitBy | undefined
  readonly table: SplitBy
}

export function useOverview({ range, filter, split, table }: Asked): OverviewData {
  const { since, until, step } = range
  const narrow = toExchangeQuery(filter)
  const time = { since, until }
  const ask = { range, narrow }
  return {
    steps: useStats(ask, { ...narrow, ...time, step, ...by(split) }),
    byUpstream: useStats(ask, { ...narrow, ...time, step, by: 'upstream' }),
    total: useStats(ask, { ...narrow, ...time, step: ALL }),
    totalBefore: useStats(ask, { ...narrow, ...before(range), step: ALL }),
    sums: useStats(ask, { ...narrow, ...time, step: ALL, by: table }),
    policies: useQuery({
      queryKey: ['policy-summary', narrow, time],
      queryFn: async () => (await api.policySummary({ ...narrow, ...time })).policies,
      placeholderData: keepPreviousData,
      refetchInterval: refreshMs(range),
    }),
  }
}

const by = (split: SplitBy | undefined): Pick<StatsQuery, 'by'> =>
  split === undefined ? {} : { by: split }

function useStats({ range }: { readonly range: Range }, query: StatsQuery): Buckets {
  return useQuery({
    queryKey: ['stats', query],
    queryFn: async () => (await api.stats(query)).buckets,
    placeholderData: keepPreviousData,
    refetchInterval: refreshMs(range),
  })
}
