/** The line above a turn: its number, when it was, how long it took, what it cost; and the way to its exchange. */
import type { ReactElement } from 'react'
import { showName } from '../blocks/plain.ts'
import { totalInput } from '../../src/event/usage.ts'
import { toCost, toCount, toDuration, toTime, toWholeTime } from '../core/format.ts'
import { toHref } from '../core/route.ts'
import { toOutcomeWord } from '../exchange/answer-words.ts'
import { Badge, VerdictBadge } from '../kit/badge.tsx'
import { Icon } from '../kit/icons.tsx'
import type { TurnItem } from './conversation-data.ts'

interface TurnHeadProps {
  readonly item: TurnItem
  readonly number: number
  readonly isLive: boolean
  readonly side: string | undefined
}

export function TurnHead({ item, number, isLive, side }: TurnHeadProps): ReactElement {
  const { summary, open } = item
  const model = summary?.model ?? open?.model
  return (
    <header className="tabular mb-1 flex min-w-0 items-center gap-3 text-2xs text-faint">
      <h2 className="w-17 shrink-0 font-medium max-sm:w-auto">#{number}</h2>
      <span className="min-w-0 truncate" title={model === undefined ? undefined : showName(model)}>
        {model === undefined ? item.endpoint : showName(model)}
      </span>
      <time
        dateTime={new Date(item.startedAt).toISOString()}
        title={toWholeTime(item.startedAt)}
        className="shrink-0"
      >
        {toTime(item.startedAt)}
      </time>
      {isLive ? (
        <Badge tone="accent">
          <span className="breathe size-1.5 rounded-full bg-accent" />
          running
        </Badge>
      ) : null}
      {summary === undefined ? null : <Facts summary={summary} side={side} />}
      <a
        href={toHref('exchange', [item.id])}
        aria-label={`Exchange of turn ${number}`}
        className="ml-auto flex shrink-0 items-center gap-1 hover:text-ink"
      >
        <Icon name="open" size={12} />
        <span className="max-md:sr-only">Exchange</span>
      </a>
    </header>
  )
}

function Facts({
  summary,
  side,
}: {
  readonly summary: NonNullable<TurnItem['summary']>
  readonly side: string | undefined
}): ReactElement {
  const { usage, durationMs, cost, outcome, fault } = summary
  const outcomeWord = toOutcomeWord(summary)
  const acted = Object.entries(summary.verdicts).filter(([type]) => type !== 'pass')
  return (
    <>
      <span className="shrink-0">{toDuration(durationMs)}</span>
      {usage === undefined ? null : (
        <span className="shrink-0 max-sm:hidden" title="Tokens in and out">
          {toCount(totalInput(usage))} → {toCount(usage.outputTokens ?? 0)}
        </span>
      )}
      {cost === undefined ? null : <span className="shrink-0 max-sm:hidden">{toCost(cost)}</span>}
      {outcome === 'done' ? null : (
        <Badge tone={outcomeWord.tone} title={fault === undefined ? '' : showName(fault.message)}>
          {outcomeWord.says}
        </Badge>
      )}
      {side === undefined
        ? null
        : acted.map(([type, count]) => (
            <VerdictBadge key={type} type={type}>
              {count > 1 ? `×${count}` : null}
            </VerdictBadge>
          ))}
    </>
  )
}
