/**
 * A ticket in lines for a person. What the model and the client wrote is shown so that it cannot move the cursor,
 * colour anything or look like words of ours. Neighbours: `approvals.ts` and `approvals-watch.ts`.
 */
import type { Ticket, TicketSummary } from '../approvals/ticket.ts'
import { visible, type Output } from './output.ts'

type Style = Pick<Output, 'style'>

/** Two lines: what it is, and what it would do. */
export function toLines(ticket: TicketSummary, now: number, out: Style): string {
  const { call, client, question } = ticket
  const who = client.key ?? client.agent
  const head = [
    out.style('bold', ticket.ticket),
    out.style('cyan', visible(nameOf(call))),
    visible(question),
    out.style(
      'dim',
      [toState(ticket, now), ...(who === undefined ? [] : [visible(who)])].join(', '),
    ),
  ].join('  ')
  return `${head}\n         ${visible(call.preview)}`
}

export function toDetails(ticket: Ticket, now: number, out: Style): string {
  const { call, client, decision } = ticket
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['ticket', ticket.ticket],
    ['state', toState(ticket, now)],
    ['question', ticket.question],
    ['reason', ticket.reason],
    ['policy', ticket.policy],
    ['tool', nameOf(call)],
    ['client', [client.key, client.agent].filter((one) => one !== undefined).join(', ')],
    ['model', ticket.model],
    ['exchange', ticket.exchangeId],
    ['decision', decision && `${decision.type} by ${decision.by}, ${decision.remember}`],
    ['why', decision?.reason],
  ]
  const shown = rows
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([name, value]) => `${out.style('dim', name.padEnd(9))} ${visible(value ?? '')}`)
  return [...shown, '', ...toContent(call)].join('\n')
}

/** Each line of it for itself, so that none can pose as ours: they begin with a bar. */
function toContent({ content, isFreeText }: Ticket['call']): readonly string[] {
  return (isFreeText ? content : indent(content)).split('\n').map((line) => `│ ${visible(line)}`)
}

function indent(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2)
  } catch {
    return json
  }
}

const nameOf = ({ type, name, namespace }: TicketSummary['call']): string =>
  name === undefined ? type : namespace === undefined ? name : `${namespace}/${name}`

function toState(
  { status, deadlineAt, isWaitedFor, decision }: TicketSummary,
  now: number,
): string {
  if (status === 'decided')
    return `${decision?.type ?? 'decided'} by ${visible(decision?.by ?? '')}`
  if (status === 'expired') return 'expired'
  const left = toTime(deadlineAt - now)
  return isWaitedFor ? `${left} left` : `${left} left, the client is gone and may come back`
}

function toTime(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000))
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}
