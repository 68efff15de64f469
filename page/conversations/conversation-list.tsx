/**
 * Sessions of agents, the last used first. Neighbours: `list-data.ts` asks page by page, `list-row.tsx` draws a line. The
 * filters are those of Live, by the same names in the address.
 */
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useMemo, useRef, type KeyboardEvent, type ReactElement } from 'react'
import { toAddress, fromAddress, isEmptyFilter, type Filter } from '../live/filter.ts'
import { FilterField } from '../live/filter-field.tsx'
import { toHref, usePlaceQuery } from '../core/route.ts'
import { useShortcuts } from '../core/shortcuts.ts'
import { Button } from '../kit/button.tsx'
import { Empty, Failed, Loading } from '../kit/states.tsx'
import { Toolbar } from '../kit/toolbar.tsx'
import { toSeen, useConversations, type ConversationsAnswer } from './list-data.ts'
import { ListHead, ListRow } from './list-row.tsx'
import { useIsWide } from '../blocks/use-is-wide.ts'

export function ConversationList(): ReactElement {
  const [query, setQuery] = usePlaceQuery()
  const filter = useMemo(() => fromAddress(query), [query])
  const answer = useConversations(filter)
  const field = useRef<HTMLInputElement>(null)
  useShortcuts([{ keys: '/', says: 'Filter', run: () => field.current?.focus() }])
  const setFilter = (next: Filter): void => setQuery(toAddress(next))
  return (
    <>
      <Toolbar title="Conversations">
        <FilterField filter={filter} onChange={setFilter} seen={toSeen(answer.items)} ref={field} />
      </Toolbar>
      <Content answer={answer} isFiltered={!isEmptyFilter(filter)} onClear={() => setFilter({})} />
    </>
  )
}

function Content({
  answer,
  isFiltered,
  onClear,
}: {
  readonly answer: ConversationsAnswer
  readonly isFiltered: boolean
  readonly onClear: () => void
}): ReactElement {
  if (answer.items.length > 0) return <Rows answer={answer} />
  if (answer.error !== null) return <Failed error={answer.error} onRetry={answer.retry} />
  if (answer.isLoading) return <Loading />
  return isFiltered ? (
    <Empty icon="filter" title="No conversation fits">
      <p>None of the recorded conversations has an exchange that all of these filters fit.</p>
      <Button onClick={onClear}>Clear the filter</Button>
    </Empty>
  ) : (
    <Empty icon="conversations" title="No conversations yet">
      <p>
        Point an agent at this gateway: each of its sessions becomes a conversation here, with its
        turns, its tool calls and what came back.
      </p>
      <a href={toHref('settings', ['connect'])} className="font-medium text-accent hover:underline">
        How to connect an agent
      </a>
    </Empty>
  )
}

const ROW = 32
const TALL_ROW = 52
const NEAR_END = 20
const WIDE = 700

function Rows({ answer }: { readonly answer: ConversationsAnswer }): ReactElement {
  const { items, hasMore, more } = answer
  const place = useRef<HTMLDivElement>(null)
  const [frame, isWide] = useIsWide(WIDE)
  const height = isWide ? ROW : TALL_ROW
  const lines = useVirtualizer({
    count: items.length,
    getScrollElement: () => place.current,
    estimateSize: () => height,
    getItemKey: (index) => items[index]?.id ?? index,
    overscan: 8,
    useFlushSync: false,
  })
  useEffect(() => lines.measure(), [lines, height])
  const last = lines.getVirtualItems().at(-1)?.index ?? 0
  useEffect(() => {
    if (hasMore && last >= items.length - NEAR_END) more()
  }, [hasMore, last, items.length, more])

  return (
    <div ref={frame} className="flex min-h-0 flex-1 flex-col bg-surface">
      {isWide ? <ListHead /> : null}
      <div ref={place} onKeyDown={move} className="min-h-0 flex-1 overflow-y-auto">
        <ul
          className="relative"
          aria-label="Conversations"
          style={{ height: lines.getTotalSize() }}
        >
          {lines.getVirtualItems().map(({ index, key, start }) => {
            const item = items[index]
            return item === undefined ? null : (
              <li
                key={key}
                className="absolute top-0 left-0 w-full"
                style={{ height, transform: `translateY(${start}px)` }}
              >
                <ListRow item={item} isWide={isWide} />
              </li>
            )
          })}
        </ul>
      </div>
    </div>
  )
}

/** Arrows go from line to line. */
function move(event: KeyboardEvent<HTMLDivElement>): void {
  const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
  if (by === 0) return
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>('a[data-row]')]
  const next = links[links.indexOf(document.activeElement as HTMLElement) + by]
  if (next === undefined) return
  event.preventDefault()
  next.focus()
}
