/** One line of the list of conversations. Its first words come when it is in sight. */
import { useQuery } from '@tanstack/react-query'
import { memo, useEffect, useState, type ReactElement } from 'react'
import type { ConversationSummary } from '../../src/store/query.ts'
import { firstLine, showName } from '../blocks/plain.ts'
import { api, queries } from '../core/api.ts'
import { openExchanges } from '../core/feed.ts'
import { plural, toAgo, toCostSum, toCount, toWholeTime } from '../core/format.ts'
import { useNow } from '../core/now.ts'
import { toHref } from '../core/route.ts'
import { useStore } from '../core/store.ts'
import { Badge, VerdictBadge } from '../kit/badge.tsx'
import { classes } from '../kit/classes.ts'
import { inputOf } from './turn-data.ts'
import { toFirstWords, toSideByEndpoint } from './turn-input.ts'

const GRID =
  'grid items-center gap-x-3 px-3 grid-cols-[76px_minmax(90px,1fr)_minmax(160px,3.2fr)_minmax(90px,1fr)_40px_40px_120px_92px_60px] max-lg:grid-cols-[72px_minmax(84px,1fr)_minmax(140px,3fr)_40px_40px_108px_60px]'

export function ListHead(): ReactElement {
  return (
    <div
      aria-hidden="true"
      className={classes(GRID, 'h-7 shrink-0 border-b border-line text-2xs font-medium text-faint')}
    >
      <span>Last used</span>
      <span>Agent</span>
      <span>Began with</span>
      <span className="max-lg:hidden">Models</span>
      <span className="text-right">Turns</span>
      <span className="text-right">Calls</span>
      <span>Verdicts</span>
      <span className="text-right max-lg:hidden">Tokens</span>
      <span className="text-right">Cost</span>
    </div>
  )
}

interface ListRowProps {
  readonly item: ConversationSummary
  readonly isWide: boolean
}

export const ListRow = memo(function ListRow({ item, isWide }: ListRowProps): ReactElement {
  const words = useBeginning(item)
  const agent = item.clients.map(showName).join(', ') || '–'
  const models = item.models.map(showName).join(', ')
  const label = `${words ?? 'Conversation'}, ${agent}`
  const look =
    'block h-full border-b border-line text-sm hover:bg-hover focus-visible:outline-offset-[-2px]'
  if (!isWide)
    return (
      <a
        data-row
        href={toHref('conversations', [item.id])}
        aria-label={label}
        className={classes(look, 'px-3 py-1.5')}
      >
        <span className="flex min-w-0 items-center gap-2">
          <Running id={item.id} />
          <Words words={words} />
          <span className="ml-auto flex shrink-0 gap-1">
            <Verdicts item={item} />
          </span>
        </span>
        <span className="tabular flex min-w-0 gap-3 text-2xs text-faint">
          <Ago at={item.lastAt} />
          <span className="min-w-0 truncate">{agent}</span>
          <span className="shrink-0">{plural(item.exchanges, 'turn')}</span>
          <span className="ml-auto shrink-0">{toCostSum(item.cost)}</span>
        </span>
      </a>
    )
  return (
    <a
      data-row
      href={toHref('conversations', [item.id])}
      aria-label={label}
      className={classes(look, GRID, 'tabular grid')}
    >
      <span className="truncate text-xs text-muted" title={toWholeTime(item.lastAt)}>
        <Ago at={item.lastAt} />
      </span>
      <span className="truncate" title={agent}>
        {agent}
      </span>
      <span className="flex min-w-0 items-center gap-2">
        <Running id={item.id} />
        <Words words={words} />
      </span>
      <span className="truncate text-xs text-muted max-lg:hidden" title={models}>
        {models}
      </span>
      <span className="text-right">{toCount(item.exchanges)}</span>
      <span className="text-right">{toCount(item.toolCalls)}</span>
      <span className="flex min-w-0 gap-1 overflow-hidden">
        <Verdicts item={item} />
      </span>
      <span className="text-right text-xs text-muted max-lg:hidden" title="Tokens in and out">
        {toCount(item.inputTokens)} → {toCount(item.outputTokens)}
      </span>
      <span className="text-right text-xs text-muted">{toCostSum(item.cost)}</span>
    </a>
  )
})

const Words = ({ words }: { readonly words: string | undefined }): ReactElement => (
  <span className="min-w-0 truncate" title={words}>
    {words ?? <span className="text-faint">…</span>}
  </span>
)

function Ago({ at }: { readonly at: number }): ReactElement {
  return <span className="shrink-0">{toAgo(at, useNow(10_000))}</span>
}

function Running({ id }: { readonly id: string }): ReactElement | null {
  const open = useStore(openExchanges)
  const isRunning = [...open.values()].some(({ conversation }) => conversation === id)
  return isRunning ? <Badge tone="accent">running</Badge> : null
}

function Verdicts({ item }: { readonly item: ConversationSummary }): ReactElement {
  return (
    <>
      {Object.entries(item.verdicts)
        .filter(([type, count]) => type !== 'pass' && count > 0)
        .map(([type, count]) => (
          <VerdictBadge key={type} type={type}>
            {count > 1 ? <span className="tabular">×{count}</span> : null}
          </VerdictBadge>
        ))}
    </>
  )
}

const SETTLE_MS = 80
/** Token counts and the like may come first. */
const FIRST = 4

/** What the user said first. */
function useBeginning({ id, firstId }: ConversationSummary): string | undefined {
  const [isSettled, setSettled] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(true), SETTLE_MS)
    return () => clearTimeout(timer)
  }, [])
  const { data } = useQuery({
    queryKey: ['beginning', id, firstId],
    queryFn: () => readBeginning(id),
    enabled: isSettled,
    staleTime: Infinity,
    gcTime: 600_000,
  })
  return data
}

async function readBeginning(id: string): Promise<string> {
  const { items } = await api.exchanges({ conversation: id, isOldestFirst: true, limit: FIRST })
  let found = ''
  for (const { id: exchange, wire, endpoint } of items) {
    if (toSideByEndpoint(endpoint) !== undefined) continue
    const input = await queries.query(inputOf(exchange, wire)).catch(() => undefined)
    const words = input === undefined ? undefined : toFirstWords(input)
    if (words === undefined) continue
    if (found === '') found = words
    if (input?.side !== undefined) continue
    found = words
    break
  }
  return found === '' ? '(nothing was kept)' : firstLine(found, 200)
}
