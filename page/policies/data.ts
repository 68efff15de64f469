/**
 * What the gateway says of its policies, asked again while somebody looks. Neighbours: `core/api.ts` asks. Whoever changes a
 * policy calls `refresh`.
 */
import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import type { PoliciesAnswer, PolicySummaryAnswer } from '../../src/api/types.ts'
import type { PolicySourceAnswer, PolicyVersionsAnswer } from '../../src/api/types-policies.ts'
import { api, queries } from '../core/api.ts'
import { SPANS, type Span } from './spans.ts'

const AGAIN_MS = 5000

export const refresh = (): Promise<void> => queries.invalidateQueries({ queryKey: ['policies'] })

export const usePolicies = (): UseQueryResult<PoliciesAnswer> =>
  useQuery({
    queryKey: ['policies', 'list'],
    queryFn: () => api.policies(),
    refetchInterval: AGAIN_MS,
  })

/** Of all of them; it fails where nothing is recorded. */
export const useSummary = (span: Span): UseQueryResult<PolicySummaryAnswer> =>
  useQuery({
    queryKey: ['policies', 'summary', span.id],
    queryFn: () => api.policySummary({ since: Date.now() - span.ms }),
    // The longer the time, the more is counted, and the less it changes.
    refetchInterval: AGAIN_MS * Math.min(6, span.ms / SPANS[0].ms),
  })

export const useSource = (name: string): UseQueryResult<PolicySourceAnswer> =>
  useQuery({ queryKey: ['policies', 'source', name], queryFn: () => api.policySource(name) })

export const useVersions = (name: string): UseQueryResult<PolicyVersionsAnswer> =>
  useQuery({
    queryKey: ['policies', 'versions', name],
    queryFn: () => api.policyVersions(name),
    refetchInterval: AGAIN_MS,
  })
