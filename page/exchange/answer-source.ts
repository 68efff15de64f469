/**
 * One exchange by its id, wherever it is now: going on, on its way to the store, or recorded. Neighbours: `answer-live.ts`
 * while it goes on, the API when it is over; the panel shows what comes. Live turns into recorded when all of the record
 * is here, so that nothing jumps.
 */
import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import { useMemo, useState, useSyncExternalStore } from 'react'
import type { BlocksAnswer, ExchangeAnswer } from '../../src/api/types.ts'
import type { OpenExchange } from '../../src/store/feed.ts'
import { api, ApiError } from '../core/api.ts'
import { connection, openExchanges } from '../core/feed.ts'
import { createLiveSource, type LiveAnswer } from './answer-live.ts'

export type AnswerSource =
  | { readonly state: 'loading' }
  | { readonly state: 'missing' }
  | { readonly state: 'failed'; readonly error: unknown; retry(): void }
  | { readonly state: 'live'; readonly live: LiveAnswer }
  | {
      readonly state: 'recorded'
      readonly answer: ExchangeAnswer
      readonly blocks: UseQueryResult<BlocksAnswer>
    }

/** How often a record is asked for that is on its way to the store. */
const AGAIN_MS = 300
const TRIES = 40
const STALE_MS = 30_000

/** `id`: of the record, or a request id. Must stay the same: give the component a key. */
export function useAnswer(id: string): AnswerSource {
  const open = useOpen(id)
  const isConnecting = useSyncExternalStore(
    connection.onChange,
    () => connection.get().state === 'connecting',
  )
  const [followed, setFollowed] = useState(open)
  if (open !== undefined && followed === undefined) setFollowed(open)
  const live = useLive(followed)
  const isOver = open === undefined && (live === undefined || live.state === 'over')
  const wasLive = live !== undefined
  const exchange = useRecord(['exchange', id], () => api.exchange(id), isOver, wasLive)
  const blocks = useRecord(['blocks', id], () => api.blocks(id), isOver, wasLive)

  const hasAll = exchange.data !== undefined && !blocks.isPending
  if (exchange.data !== undefined && (!wasLive || hasAll))
    return { state: 'recorded', answer: exchange.data, blocks }
  // Also where its record never comes: what was seen of it stays.
  if (live !== undefined) return { state: 'live', live }
  if (isNotThere(exchange.error)) return isConnecting ? { state: 'loading' } : { state: 'missing' }
  if (exchange.error !== null)
    return { state: 'failed', error: exchange.error, retry: () => void exchange.refetch() }
  return { state: 'loading' }
}

/** The exchange, as long as it goes on. */
function useOpen(id: string): OpenExchange | undefined {
  return useSyncExternalStore(openExchanges.onChange, () => {
    const all = openExchanges.get()
    return all.get(id) ?? [...all.values()].findLast(({ requestId }) => requestId === id)
  })
}

const NEVER = (): (() => void) => () => {}

function useLive(exchange: OpenExchange | undefined): LiveAnswer | undefined {
  const source = useMemo(
    () => (exchange === undefined ? undefined : createLiveSource(exchange)),
    [exchange],
  )
  return useSyncExternalStore(source?.onChange ?? NEVER, () => source?.get())
}

/** `isDue`: it was seen to go on, and will be there in a moment. */
function useRecord<T>(
  key: readonly string[],
  ask: () => Promise<T>,
  isOver: boolean,
  isDue: boolean,
): UseQueryResult<T> {
  return useQuery({
    queryKey: key,
    queryFn: ask,
    enabled: isOver,
    staleTime: STALE_MS,
    refetchInterval: ({ state }) =>
      isDue && isNotThere(state.error) && state.errorUpdateCount < TRIES ? AGAIN_MS : false,
  })
}

const isNotThere = (error: unknown): boolean => error instanceof ApiError && error.status === 404
