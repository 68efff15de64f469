/** Where a call comes from and why somebody is asked. */
import type { ReactElement, ReactNode } from 'react'
import type { Ticket } from '../../src/approvals/ticket.ts'
import { showName } from '../blocks/plain.ts'
import { toWholeTime } from '../core/format.ts'
import { toHref } from '../core/route.ts'
import { Icon } from '../kit/icons.tsx'
import { useClock } from './clock.ts'
import { clientOf, toLeft } from './words.ts'

export function Facts({ ticket }: { readonly ticket: Ticket }): ReactElement {
  const { client, model, policy, rule, reason, question, conversationId, exchangeId, gateway } =
    ticket
  return (
    <dl className="grid min-w-0 grid-cols-[max-content_minmax(0,1fr)] gap-x-4 gap-y-1 text-xs @lg:grid-cols-[max-content_minmax(0,1fr)_max-content_minmax(0,1fr)]">
      <Fact name="Policy">
        <a
          href={toHref('policies', [], { policy })}
          className="text-accent hover:underline"
          title={policy}
        >
          {showName(policy)}
        </a>
      </Fact>
      {rule === undefined ? null : <Fact name="Rule">{showName(rule)}</Fact>}
      {reason === undefined || reason === question ? null : (
        <Fact name="Reason">{showName(reason)}</Fact>
      )}
      <Fact name="Client">{clientOf(ticket)}</Fact>
      <Fact name="Key">{client.key === undefined ? 'none' : showName(client.key)}</Fact>
      <Fact name="Model">{showName(model)}</Fact>
      <Fact name="Conversation">
        <Way href={toHref('conversations', [conversationId])} id={conversationId} />
      </Fact>
      <Fact name="Exchange">
        <Way href={toHref('exchange', [exchangeId])} id={exchangeId} />
      </Fact>
      {gateway === undefined ? null : <Fact name="Gateway">{showName(gateway)}</Fact>}
      <Fact name={ticket.status === 'pending' ? 'Waits for' : 'Asked'}>
        <Waiting ticket={ticket} />
      </Fact>
    </dl>
  )
}

function Waiting({ ticket }: { readonly ticket: Ticket }): ReactElement {
  const { status, askedAt, isWaitedFor } = ticket
  const now = useClock()
  if (status !== 'pending') return <>{toWholeTime(askedAt)}</>
  return (
    <span className="tabular" title={`Asked ${toWholeTime(askedAt)}`}>
      {toLeft(now - askedAt)},{' '}
      {isWaitedFor ? (
        'the client is there'
      ) : (
        <span className="inline-flex items-center gap-1 align-bottom text-warn">
          <Icon name="warn" size={12} />
          the client is gone
        </span>
      )}
    </span>
  )
}

const Fact = ({
  name,
  children,
}: {
  readonly name: string
  readonly children: ReactNode
}): ReactElement => (
  <>
    <dt className="text-faint">{name}</dt>
    <dd className="min-w-0 truncate">{children}</dd>
  </>
)

const Way = ({ href, id }: { readonly href: string; readonly id: string }): ReactElement => (
  <a href={href} title={id} className="font-mono text-accent hover:underline">
    {showName(id)}
  </a>
)
