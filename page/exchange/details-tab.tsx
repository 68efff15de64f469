/**
 * Everything else that is known of an exchange: ids, who and where, attempts, tokens, what a translation lost, sizes, the
 * chain of its verdicts. Neighbours: `details-lists.tsx` has the lists. It can be taken away here.
 */
import { useState, type ReactElement, type ReactNode } from 'react'
import { totalInput } from '../../src/index.ts'
import type { ExchangeAnswer } from '../../src/api/types.ts'
import { showName } from '../blocks/plain.ts'
import { toCost, toDuration, toSize, toWholeTime, toWireName } from '../core/format.ts'
import { toHref } from '../core/route.ts'
import { Badge } from '../kit/badge.tsx'
import { Button } from '../kit/button.tsx'
import { CopyButton } from '../kit/copy.tsx'
import { Attempts, Chain } from './details-lists.tsx'
import { Losses } from './details-losses.tsx'
import { Pairs } from './details-pairs.tsx'
import { RemoveExchange } from './details-remove.tsx'

interface DetailsTabProps {
  readonly answer: ExchangeAnswer
  /** After it was taken away; the list of all otherwise. */
  readonly onRemoved?: (() => void) | undefined
}

type Exchange = ExchangeAnswer['exchange']
type Rows = readonly (readonly [string, ReactNode])[]

export function DetailsTab({ answer, onRemoved }: DetailsTabProps): ReactElement {
  const { exchange, verdicts } = answer
  const [isAsking, setAsking] = useState(false)
  const { losses, attempts, upstreamHeaders } = exchange
  const headers = Object.entries(upstreamHeaders)
  return (
    <div className="pb-4">
      <Group title="Ids">
        <Pairs pairs={toIds(exchange)} />
      </Group>
      <Group title="Request and route">
        <Pairs pairs={toWay(exchange)} />
      </Group>
      <Group title="Answer">
        <Pairs pairs={toOutcome(exchange)} />
      </Group>
      <Group title="Attempts" hint={attempts.length === 0 ? 'No upstream was asked' : undefined}>
        {attempts.length === 0 ? null : <Attempts attempts={attempts} start={exchange.startedAt} />}
      </Group>
      <Group
        title="Losses of the translation"
        hint={losses.length === 0 ? sayNoLosses(exchange) : undefined}
      >
        {losses.length === 0 ? null : <Losses losses={losses} />}
      </Group>
      <Group title="Tokens and cost">
        <Pairs pairs={toUsage(exchange)} />
      </Group>
      <Group title="What is kept">
        <Pairs pairs={toKept(exchange)} />
      </Group>
      <Group
        title="Verdicts in the chain"
        hint={verdicts.length === 0 ? 'No policy decided anything' : undefined}
      >
        {verdicts.length === 0 ? null : <Chain verdicts={verdicts} />}
      </Group>
      {headers.length === 0 ? null : (
        <Group title="Headers of the upstream's answer">
          <Pairs pairs={headers} isMono />
        </Group>
      )}
      <div className="px-3 pt-3">
        <Button onClick={() => setAsking(true)}>Delete this record…</Button>
      </div>
      {isAsking ? (
        <RemoveExchange answer={answer} onClose={() => setAsking(false)} onRemoved={onRemoved} />
      ) : null}
    </div>
  )
}

function Group({
  title,
  hint,
  children,
}: {
  readonly title: string
  readonly hint?: string | undefined
  readonly children?: ReactNode
}): ReactElement {
  return (
    <section aria-label={title} className="border-b border-line px-3 py-2">
      <h3 className="flex items-baseline gap-2 pb-1 text-xs font-semibold">
        {title}
        {hint === undefined ? null : <span className="font-normal text-faint">{hint}</span>}
      </h3>
      {children}
    </section>
  )
}

/** Leaves out what is not known. */
const known = (rows: readonly (readonly [string, ReactNode])[]): Rows =>
  rows.filter(([, value]) => value !== undefined && value !== '')

const toIds = ({ id, requestId, traceId, answerId, gateway, conversation }: Exchange): Rows =>
  known([
    ['Record', <Id key="id" id={id} />],
    ['Request id', <Id key="id" id={requestId} />],
    ['Trace', <Id key="id" id={traceId} />],
    ['Answer id', answerId && <Id key="id" id={answerId} />],
    [
      'Conversation',
      conversation && (
        <Id key="id" id={conversation} href={toHref('conversations', [conversation])} />
      ),
    ],
    ['Gateway', gateway],
  ])

function toWay(exchange: Exchange): Rows {
  const { model, upstreamModel, answerModel, wire, upstreamWire } = exchange
  return known([
    ['Began', toWholeTime(exchange.startedAt)],
    ['Path', `${exchange.method} ${exchange.endpoint}${exchange.query}`],
    ['Client', exchange.client],
    ['Key', exchange.key],
    ['Route', exchange.route],
    ['Upstream', exchange.upstream],
    ['Model asked for', model],
    ['Model sent', upstreamModel === model ? undefined : upstreamModel],
    ['Model that answered', answerModel === (upstreamModel ?? model) ? undefined : answerModel],
    [
      'Wire',
      upstreamWire === undefined || upstreamWire === wire
        ? toWireName(wire)
        : `${toWireName(wire)}, translated to ${toWireName(upstreamWire)}`,
    ],
  ])
}

function toOutcome(exchange: Exchange): Rows {
  const { status, upstreamStatus, fault, violations, tools } = exchange
  return known([
    ['Outcome', exchange.outcome],
    ['Status', String(status)],
    ['Upstream said', upstreamStatus === status ? undefined : upstreamStatus?.toString()],
    ['Form', exchange.isStream ? 'Stream' : 'One JSON body'],
    [
      'First byte after',
      exchange.firstByteMs === undefined ? undefined : toDuration(exchange.firstByteMs),
    ],
    ['Took', toDuration(exchange.durationMs)],
    ['Finished by', exchange.finishReason],
    [
      'Tools called',
      tools.map(({ name, count }) => `${name}${count > 1 ? ` ×${count}` : ''}`).join(', '),
    ],
    [
      'Violations',
      violations === 0 ? (
        'None'
      ) : (
        <span className="inline-flex flex-wrap items-baseline gap-x-2">
          <Badge tone="bad">{violations}</Badge>
          <span className="text-faint">Beside their frames in the tab Raw</span>
        </span>
      ),
    ],
    [
      'Fault',
      fault &&
        `${fault.kind}${fault.code === undefined ? '' : ` (${fault.code})`}: ${fault.message}`,
    ],
  ])
}

function toUsage({ usage, isUsageEstimated, cost }: Exchange): Rows {
  if (usage === undefined)
    return [
      ['Tokens', 'The answer does not say'],
      ['Cost', toCost(cost)],
    ]
  const count = (tokens: number | undefined): string | undefined => tokens?.toLocaleString('en')
  return known([
    ['Input', count(totalInput(usage))],
    ['Output', count(usage.outputTokens)],
    ['Read from cache', count(usage.cacheReadTokens)],
    ['Thinking', count(usage.reasoningTokens)],
    ['Written to cache', count(usage.cacheWriteTokens)],
    ['Cost', cost === undefined ? 'No price is known' : toCost(cost)],
    ['Counted by', isUsageEstimated ? 'This gateway, an estimate' : 'The provider'],
  ])
}

const MODES: Readonly<Record<Exchange['record'], string>> = {
  bytes: 'Everything, as it passed',
  redacted: 'Everything, with secrets masked',
  metadata: 'No content',
}

const BODIES: readonly (readonly [string, string])[] = [
  ['request', 'Request'],
  ['sent', 'Sent upstream'],
  ['upstream', 'Answer as it came'],
  ['delivered', 'Answer as it left'],
]

function toKept(exchange: Exchange): Rows {
  const { record, bodies, dropped, bytesIn, bytesOut } = exchange
  return known([
    ['Mode', `${MODES[record]} (${record})`],
    ['Dropped', dropped.length === 0 ? undefined : `${dropped.join(', ')}: there was no room`],
    ...BODIES.map(([kind, says]): readonly [string, ReactNode] => [
      says,
      bodies[kind] === undefined ? undefined : toSize(bodies[kind]),
    ]),
    ['Came in', toSize(bytesIn)],
    ['Went out', toSize(bytesOut)],
  ])
}

const sayNoLosses = ({ wire, upstreamWire }: Exchange): string =>
  upstreamWire === undefined || upstreamWire === wire
    ? 'Nothing was translated'
    : 'None: everything was carried over'

function Id({ id, href }: { readonly id: string; readonly href?: string }): ReactElement {
  return (
    <span className="-my-1 inline-flex max-w-full items-center gap-0.5">
      {href === undefined ? (
        <span className="truncate font-mono" title={id}>
          {showName(id)}
        </span>
      ) : (
        <a
          href={href}
          title={id}
          className="truncate font-mono text-accent underline underline-offset-2"
        >
          {showName(id)}
        </a>
      )}
      <CopyButton isSmall text={id} />
    </span>
  )
}
