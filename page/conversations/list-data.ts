/** Pages of conversations, and again when something happens in one. Neighbours: the API; `conversation-list.tsx`. */
import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import type { ConversationPage } from '../../src/api/types.ts'
import type { ConversationSummary } from '../../src/store/query.ts'
import { api } from '../core/api.ts'
import { onFeed } from '../core/feed.ts'
import type { Seen } from '../live/filter-complete.ts'
import { toExchangeQuery, type Filter } from '../live/filter.ts'

export interface ConversationsAnswer {
  readonly items: readonly ConversationSummary[]
  readonly isLoading: boolean
  readonly error: unknown
  readonly hasMore: boolean
  more(): void
  retry(): void
}

const PAGE = 60
/** What happens in a burst is asked for once. */
const SOON_MS = 700

export function useConversations(filter: Filter): ConversationsAnswer {
  const key = useMemo(() => ['conversations', JSON.stringify(filter)], [filter])
  const pages = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam }) =>
      api.conversations({
        ...toExchangeQuery(filter),
        limit: PAGE,
        ...(pageParam === undefined ? {} : { cursor: pageParam }),
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next,
    placeholderData: (before) => before,
  })
  const newest = useNewest(key, filter)
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = pages
  const items = useMemo(() => toItems([...newest, ...(data?.pages ?? [])]), [newest, data])
  return {
    items,
    isLoading: pages.isPending,
    error: pages.error,
    hasMore: hasNextPage && !isFetchingNextPage,
    more: () => void fetchNextPage(),
    retry: () => void refetch(),
  }
}

/** One that went on meanwhile may stand in two pages: where it stands first is right. */
function toItems(pages: readonly ConversationPage[]): readonly ConversationSummary[] {
  const items = new Map<string, ConversationSummary>()
  for (const page of pages)
    for (const item of page.items) if (!items.has(item.id)) items.set(item.id, item)
  return [...items.values()]
}

interface Newest {
  readonly key: readonly string[]
  readonly pages: readonly ConversationPage[]
}

const NONE: readonly ConversationPage[] = []

/** The first page as it is now: what is new stands there, and the pages behind need not be asked for again. */
function useNewest(key: readonly string[], filter: Filter): readonly ConversationPage[] {
  const [newest, setNewest] = useState<Newest>()
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    async function refresh(): Promise<void> {
      timer = undefined
      const page = await api
        .conversations({ ...toExchangeQuery(filter), limit: PAGE })
        .catch(() => undefined)
      if (page !== undefined) setNewest({ key, pages: [page] })
    }
    const stop = onFeed(({ type }) => {
      if (type === 'recorded') timer ??= setTimeout(() => void refresh(), SOON_MS)
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [key, filter])
  return newest?.key === key ? newest.pages : NONE
}

/** Names that were seen, to be offered. */
export const toSeen =
  (items: readonly ConversationSummary[]): Seen =>
  (name) => {
    const lists = { client: 'clients', model: 'models', key: 'keys' } as const
    if (!(name in lists)) return []
    const field = lists[name as keyof typeof lists]
    return [...new Set(items.slice(0, 500).flatMap((item) => item[field]))]
  }
