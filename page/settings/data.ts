/** What settings ask of the gateway. One answer is shared by all tabs that need it. */
import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import type { ConfigAnswer, HealthAnswer, KeysAnswer } from '../../src/api/types.ts'
import { api, queries } from '../core/api.ts'

const EVERY_MS = 5000

export const useHealth = (everyMs = EVERY_MS): UseQueryResult<HealthAnswer> =>
  useQuery({ queryKey: ['health'], queryFn: () => api.health(), refetchInterval: everyMs })

export const useConfig = (): UseQueryResult<ConfigAnswer> =>
  useQuery({ queryKey: ['config'], queryFn: () => api.config(), refetchInterval: EVERY_MS })

export const useKeys = (): UseQueryResult<KeysAnswer> =>
  useQuery({ queryKey: ['keys'], queryFn: () => api.keys(), refetchInterval: EVERY_MS })

/** After a change: those that show it ask again. */
export async function refreshSettings(): Promise<void> {
  await Promise.all(
    ['keys', 'health', 'config'].map((name) => queries.invalidateQueries({ queryKey: [name] })),
  )
}
