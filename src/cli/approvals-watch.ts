/**
 * `sluice approvals watch`: what waits, as it comes. On a terminal each call is put before the person, who decides
 * with a key. Neighbours: `approvals.ts`; `server/api-events.ts` tells. Comes back when the gateway does.
 */
import type { ApiClient } from '../api/client.ts'
import type { ApiEvent } from '../api/types.ts'
import type { TicketSummary } from '../approvals/ticket.ts'
import { toLines } from './approvals-lines.ts'
import { createKeys } from './approvals-keys.ts'
import { visible, type Output } from './output.ts'
import { follow } from './watch-api.ts'

export interface WatchOptions {
  readonly out: Output
  readonly err: Output
  readonly json: boolean
  readonly by: string | undefined
}

type News = Extract<
  ApiEvent,
  { type: 'state' | 'halt' | 'asked' | 'waiting' | 'decided' | 'expired' }
>

/** Until it is ended from outside, or its reader has left. */
export async function watchApprovals(api: ApiClient, options: WatchOptions): Promise<number> {
  const { out, err, json } = options
  const keys =
    !json && process.stdin.isTTY && process.stdout.isTTY ? createKeys(api, options) : undefined
  const stop = new AbortController()
  keys?.onDone(() => stop.abort())
  try {
    await follow(api, { out, err, stop }, async (event) => {
      if (!isNews(event)) return !out.isGone
      if (json) await out.line(JSON.stringify({ event: event.type, data: toData(event) }))
      else await tell(event, { out, take: keys?.take ?? (() => {}) })
      return !out.isGone
    })
  } finally {
    keys?.close()
  }
  return 0
}

const isNews = (event: ApiEvent): event is News =>
  event.type === 'state' || event.type === 'halt' || 'ticket' in event

/** As the API said it. */
function toData(event: News): object {
  if (event.type === 'halt') return event.halt
  if (event.type !== 'state') return event.ticket
  return { pending: event.pending, halt: event.halt }
}

async function tell(
  event: News,
  { out, take }: { readonly out: Output; take(type: string, ticket: TicketSummary): void },
): Promise<void> {
  if (event.type === 'state') {
    const { pending } = event
    if (pending.length === 0) await out.line(out.style('dim', 'Nothing waits for you yet.'))
    for (const one of pending) {
      await out.line(toLines(one, Date.now(), out))
      take('asked', one)
    }
    return
  }
  if (event.type === 'halt') {
    const words = event.halt.halted ? 'All tool calls are halted' : 'Tool calls go through'
    return await out.line(out.style('red', words))
  }
  const { type, ticket } = event
  if (type === 'asked') await out.line(toLines(ticket, Date.now(), out))
  if (type === 'decided')
    await out.line(
      `${ticket.ticket}  ${out.style('dim', visible(`${ticket.decision?.type} by ${ticket.decision?.by}`))}`,
    )
  if (type === 'expired') await out.line(`${ticket.ticket}  ${out.style('dim', 'expired')}`)
  take(type, ticket)
}
