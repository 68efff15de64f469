/** What a conversation is, in two lines: what it began with; who, with which models, how much. */
import { useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { totalInput } from '../../src/event/usage.ts'
import { firstLine, showName } from '../blocks/plain.ts'
import { plural, toCost, toCount, toTime } from '../core/format.ts'
import { toHref } from '../core/route.ts'
import { Icon } from '../kit/icons.tsx'
import type { TurnItem } from './conversation-data.ts'
import { inputOf } from './turn-data.ts'
import { toFirstWords, toSideByEndpoint } from './turn-input.ts'

export function ConversationTitle({
  items,
}: {
  readonly items: readonly TurnItem[]
}): ReactElement {
  const words = useFirstWords(items.find(({ endpoint }) => !toSideByEndpoint(endpoint)) ?? items[0])
  return (
    <span className="flex min-w-0 items-center gap-1">
      <a
        href={toHref('conversations')}
        className="flex shrink-0 items-center gap-1 font-normal text-muted hover:text-ink"
      >
        Conversations
        <Icon name="right" size={12} />
      </a>
      <span
        className="max-w-[28rem] min-w-0 truncate max-lg:max-w-60 max-sm:max-w-40"
        title={words}
      >
        {words ?? '…'}
      </span>
    </span>
  )
}

/** In one line; `undefined` until it is known. */
function useFirstWords(first: Pick<TurnItem, 'id' | 'wire'> | undefined): string | undefined {
  const { data, isError } = useQuery({
    ...inputOf(first?.id ?? '', first?.wire ?? ''),
    enabled: first !== undefined,
  })
  if (isError) return '(its request cannot be read)'
  if (data === undefined) return undefined
  const words = toFirstWords(data)
  return words === undefined || words === '' ? '(nothing was kept)' : firstLine(words, 200)
}

export function ConversationFacts({
  items,
  isPartial,
}: {
  readonly items: readonly TurnItem[]
  readonly isPartial: boolean
}): ReactElement {
  const sums = toSums(items)
  const first = items[0]
  const last = items.at(-1)
  return (
    <p className="tabular flex min-w-0 shrink-0 flex-wrap gap-x-4 gap-y-0.5 border-b border-line bg-surface px-3 py-1 text-xs text-muted">
      {[sums.clients, sums.models].map((names, at) =>
        names.length === 0 ? null : (
          <span key={at} className="max-w-64 min-w-0 truncate" title={names.join(', ')}>
            {names.join(', ')}
          </span>
        ),
      )}
      <span>
        {plural(items.length, 'exchange')}
        {isPartial ? ' so far' : ''}
      </span>
      <span>{plural(sums.calls, 'tool call')}</span>
      <span title="Tokens in and out">
        {toCount(sums.input)} → {toCount(sums.output)} tokens
      </span>
      {sums.cost === 0 ? null : <span>{toCost(sums.cost)}</span>}
      {first === undefined || last === undefined ? null : (
        <span className="max-sm:hidden">
          {toTime(first.startedAt)}
          {first === last ? '' : ` – ${toTime(last.startedAt)}`}
        </span>
      )}
    </p>
  )
}

function toSums(items: readonly TurnItem[]) {
  const clients = new Set<string>()
  const models = new Set<string>()
  const sums = { calls: 0, input: 0, output: 0, cost: 0 }
  for (const { summary, open } of items) {
    const client = summary?.client ?? open?.client
    const model = summary?.model ?? open?.model
    if (client !== undefined) clients.add(showName(client))
    if (model !== undefined) models.add(showName(model))
    if (summary === undefined) continue
    sums.calls += summary.tools.reduce((sum, { count }) => sum + count, 0)
    sums.input += summary.usage === undefined ? 0 : totalInput(summary.usage)
    sums.output += summary.usage?.outputTokens ?? 0
    sums.cost += summary.cost ?? 0
  }
  return { ...sums, clients: [...clients], models: [...models] }
}
