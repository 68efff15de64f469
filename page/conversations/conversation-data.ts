/**
 * All exchanges of one conversation, the oldest first: the recorded ones page by page, those that go on, and those that
 * are just over. Neighbours: the API and the feed; `conversation-view.tsx` draws them. What stands in an exchange is
 * fetched by `turn-data.ts` when it is seen.
 */
import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import type { ConversationSummary, ExchangeSummary } from '../../src/store/query.ts'
import type { OpenExchange } from '../../src/store/feed.ts'
import { api, ApiError } from '../core/api.ts'
import { onFeed, openExchanges } from '../core/feed.ts'
import { useStore } from '../core/store.ts'

/** One exchange of it, over or going on. */
export interface TurnItem {
  readonly id: string
  readonly wire: string
  readonly endpoint: string
  readonly startedAt: number
  readonly summary: ExchangeSummary | undefined
  readonly open: OpenExchange | undefined
}

export type Conversation =
  | { readonly state: 'loading' | 'missing' }
  | { readonly state: 'failed'; readonly error: unknown; retry(): void }
  | {
      readonly state: 'here'
      readonly items: readonly TurnItem[]
      readonly summary: ConversationSummary | undefined
      /** More pages are on their way. */
      readonly isPartial: boolean
    }

/** Small enough that reading one does not stop the page. */
const PAGE = 200

export function useConversation(id: string): Conversation {
  const pages = useInfiniteQuery({
    queryKey: ['conversation', id],
    queryFn: ({ pageParam }) =>
      api.conversation(id, {
        limit: PAGE,
        ...(pageParam === undefined ? {} : { cursor: pageParam }),
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.exchanges.next,
    staleTime: Infinity,
  })
  const { hasNextPage, isFetchingNextPage, fetchNextPage, isError } = pages
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && !isError) void fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, fetchNextPage, isError])
  const fresh = useFresh(id)
  const open = useStore(openExchanges)
  const recorded = pages.data?.pages
  const items = useMemo(
    () => toItems(recorded?.flatMap((page) => page.exchanges.items) ?? [], fresh, open, id),
    [recorded, fresh, open, id],
  )
  if (items.length > 0)
    return {
      state: 'here',
      items,
      summary: recorded?.[0]?.conversation,
      isPartial: hasNextPage,
    }
  if (pages.error instanceof ApiError && pages.error.status === 404) return { state: 'missing' }
  if (pages.error !== null)
    return { state: 'failed', error: pages.error, retry: () => void pages.refetch() }
  return { state: pages.isPending ? 'loading' : 'missing' }
}

/** Those that were over while somebody looked. */
function useFresh(id: string): ReadonlyMap<string, ExchangeSummary> {
  const [fresh, setFresh] = useState<ReadonlyMap<string, ExchangeSummary>>(new Map())
  useEffect(
    () =>
      onFeed((event) => {
        if (event.type !== 'finished' || event.exchange.conversation !== id) return
        const { exchange } = event
        setFresh((before) => new Map(before).set(exchange.id, exchange))
      }),
    [id],
  )
  return fresh
}

function toItems(
  recorded: readonly ExchangeSummary[],
  fresh: ReadonlyMap<string, ExchangeSummary>,
  open: ReadonlyMap<string, OpenExchange>,
  id: string,
): readonly TurnItem[] {
  const items = new Map<string, TurnItem>()
  for (const summary of [...recorded, ...fresh.values()])
    items.set(summary.id, { ...toPlace(summary), summary, open: undefined })
  for (const one of open.values())
    if (one.conversation === id && !items.has(one.id))
      items.set(one.id, { ...toPlace(one), summary: undefined, open: one })
  return [...items.values()].toSorted(
    (one, other) => one.startedAt - other.startedAt || (one.id < other.id ? -1 : 1),
  )
}

const toPlace = ({
  id,
  wire,
  endpoint,
  startedAt,
}: ExchangeSummary | OpenExchange): Pick<TurnItem, 'id' | 'wire' | 'endpoint' | 'startedAt'> => ({
  id,
  wire,
  endpoint,
  startedAt,
})

/** The same object while nothing of an item has changed: rows that are drawn stay as they are. */
export function useSteadyItems(items: readonly TurnItem[]): readonly TurnItem[] {
  const known = useRef(new Map<string, TurnItem>())
  return useMemo(() => {
    const next = items.map((item) => {
      const before = known.current.get(item.id)
      const isSame = before?.summary === item.summary && before?.open === item.open
      return before !== undefined && isSame ? before : item
    })
    known.current = new Map(next.map((item) => [item.id, item]))
    return next
  }, [items])
}
