/**
 * Two lines on what the exchange was: how it went and what was asked of whom; then its figures. Neighbours: the panel; what
 * can be done with it is in `actions.tsx`. Names come from clients and are shown as they are.
 */
import type { ReactElement, ReactNode } from 'react'
import type { ExchangeAnswer } from '../../src/api/types.ts'
import type { OpenExchange } from '../../src/store/feed.ts'
import type { ExchangeRecord } from '../../src/store/query.ts'
import { showName } from '../blocks/plain.ts'
import { toCost, toDuration, toTime, toWholeTime, toWireName } from '../core/format.ts'
import { useNow } from '../core/now.ts'
import { toHref } from '../core/route.ts'
import { Badge } from '../kit/badge.tsx'
import { IconButton } from '../kit/button.tsx'
import { CopyButton } from '../kit/copy.tsx'
import { Icon, type IconName } from '../kit/icons.tsx'
import { ExchangeActions } from './actions.tsx'
import { toOutcomeWord, toTokens } from './answer-words.ts'

interface HeadProps {
  readonly answer: ExchangeAnswer | undefined
  readonly open: OpenExchange | undefined
  readonly onClose: (() => void) | undefined
}

export function ExchangeHead({ answer, open, onClose }: HeadProps): ReactElement {
  const exchange = answer?.exchange
  const one = exchange ?? open
  const Title = onClose === undefined ? 'h1' : 'h2'
  return (
    <header className="shrink-0 border-b border-line px-3 pt-1.5 pb-1.5">
      <div className="flex min-h-7 flex-wrap items-center gap-x-2 gap-y-1">
        {onClose === undefined ? (
          <IconLink icon="left" label="Back to Live" href={toHref('live')} />
        ) : null}
        <Outcome exchange={exchange} />
        <Title className="flex min-w-0 flex-1 items-baseline gap-2 text-sm font-semibold">
          <Model one={one} exchange={exchange} />
          <span className="hidden min-w-0 shrink-[4] truncate font-mono text-xs font-normal text-muted @3xl:inline">
            {toAddress(exchange, one)}
          </span>
        </Title>
        <div className="flex items-center gap-0.5">
          {answer === undefined ? null : <ExchangeActions answer={answer} />}
          {onClose === undefined ? null : (
            <>
              <IconLink
                icon="open"
                label="Open as a view of its own"
                href={one === undefined ? '#/live' : toHref('exchange', [one.id])}
              />
              <IconButton icon="close" label="Close" onClick={onClose} />
            </>
          )}
        </div>
      </div>
      <dl className="mt-0.5 flex flex-wrap items-center gap-x-3 gap-y-0 text-xs tabular">
        <div className="max-w-full truncate font-mono text-2xs text-muted @3xl:hidden">
          <dt className="sr-only">Address</dt>
          <dd className="truncate">{toAddress(exchange, one)}</dd>
        </div>
        {exchange === undefined ? (
          open === undefined ? null : (
            <OpenFacts open={open} />
          )
        ) : (
          <Facts exchange={exchange} />
        )}
        {one === undefined ? null : <Id id={one.id} />}
      </dl>
    </header>
  )
}

const toAddress = (
  exchange: ExchangeRecord | undefined,
  one: ExchangeRecord | OpenExchange | undefined,
): string => `${exchange?.method ?? 'POST'} ${showName(one?.endpoint ?? '')}`

function Outcome({ exchange }: { readonly exchange: ExchangeRecord | undefined }): ReactElement {
  if (exchange === undefined)
    return (
      <Badge tone="accent">
        <span className="breathe size-1.5 rounded-full bg-accent" />
        Going on
      </Badge>
    )
  const { says, tone } = toOutcomeWord(exchange)
  return <Badge tone={tone}>{says}</Badge>
}

function Model({
  one,
  exchange,
}: {
  readonly one: ExchangeRecord | OpenExchange | undefined
  readonly exchange: ExchangeRecord | undefined
}): ReactElement {
  const asked = one?.model
  const sent = exchange?.upstreamModel
  const isOther = sent !== undefined && sent !== asked
  const says = `${showName(asked ?? 'no model')}${isOther ? ` → ${showName(sent)}` : ''}`
  return (
    <span className="min-w-0 truncate" title={says}>
      {says}
    </span>
  )
}

function Facts({ exchange }: { readonly exchange: ExchangeRecord }): ReactElement {
  const { wire, upstreamWire, attempts, upstream, route, conversation } = exchange
  const isTranslated = upstreamWire !== undefined && upstreamWire !== wire
  return (
    <>
      <Fact label="Client">
        {showName(exchange.client ?? 'unknown')}
        {exchange.key === undefined ? '' : ` (${showName(exchange.key)})`}
      </Fact>
      <Fact label="Route" isWorth={route !== undefined || upstream !== undefined}>
        {route === undefined ? '' : `${showName(route)} → `}
        {showName(upstream ?? 'none')}
      </Fact>
      <Fact label={isTranslated ? 'Wires, translated' : 'Wire'}>
        {isTranslated ? `${toWireName(wire)} → ${toWireName(upstreamWire)}` : toWireName(wire)}
        {exchange.isStream ? '' : ', no stream'}
      </Fact>
      <Fact label="Began" title={toWholeTime(exchange.startedAt)}>
        {toTime(exchange.startedAt)}
      </Fact>
      <Fact label="Took">{toDuration(exchange.durationMs)}</Fact>
      <Fact label="First byte" isWorth={exchange.firstByteMs !== undefined}>
        {toDuration(exchange.firstByteMs)}
      </Fact>
      <Fact label="Tokens" isWorth={exchange.usage !== undefined}>
        {exchange.isUsageEstimated ? '≈ ' : ''}
        {toTokens(exchange.usage)}
      </Fact>
      <Fact label="Cost" isWorth={exchange.cost !== undefined}>
        {toCost(exchange.cost)}
      </Fact>
      <Fact label="Finish" isWorth={exchange.finishReason !== undefined}>
        {exchange.finishReason}
      </Fact>
      <Fact label="Attempts" isWorth={attempts.length > 1}>
        {attempts.length}
      </Fact>
      <Fact label="Conversation" isWorth={conversation !== undefined}>
        <a
          href={toHref('conversations', [conversation ?? ''])}
          className="text-accent underline-offset-2 hover:underline"
        >
          open
        </a>
      </Fact>
    </>
  )
}

function OpenFacts({ open }: { readonly open: OpenExchange }): ReactElement {
  return (
    <>
      <Fact label="Client">
        {showName(open.client ?? 'unknown')}
        {open.key === undefined ? '' : ` (${showName(open.key)})`}
      </Fact>
      <Fact label="Wire">{toWireName(open.wire)}</Fact>
      <Fact label="Began" title={toWholeTime(open.startedAt)}>
        {toTime(open.startedAt)}
      </Fact>
      <Fact label="Since">
        <Running since={open.startedAt} />
      </Fact>
    </>
  )
}

const Running = ({ since }: { readonly since: number }): ReactElement => (
  <>{toDuration(Math.max(0, useNow(200) - since))}</>
)

function Fact({
  label,
  title,
  isWorth = true,
  children,
}: {
  readonly label: string
  readonly title?: string
  readonly isWorth?: boolean
  readonly children: ReactNode
}): ReactElement | null {
  if (!isWorth) return null
  return (
    <div className="flex max-w-64 min-w-0 items-baseline gap-1" title={title}>
      <dt className="shrink-0 text-2xs text-faint">{label}</dt>
      <dd className="truncate text-muted">{children}</dd>
    </div>
  )
}

const Id = ({ id }: { readonly id: string }): ReactElement => (
  <div className="flex min-w-0 items-center gap-1">
    <dt className="text-2xs text-faint">Id</dt>
    <dd className="flex min-w-0 items-center font-mono text-2xs text-muted">
      <span className="truncate" title={id}>
        …{id.slice(-8)}
      </span>
      <span className="-my-1">
        <CopyButton text={id} label="Copy the id" isSmall />
      </span>
    </dd>
  </div>
)

const IconLink = ({
  icon,
  label,
  href,
}: {
  readonly icon: IconName
  readonly label: string
  readonly href: string
}): ReactElement => (
  <a
    href={href}
    aria-label={label}
    title={label}
    className="inline-flex size-7 shrink-0 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-ink"
  >
    <Icon name={icon} />
  </a>
)
