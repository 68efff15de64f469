/**
 * `sluice approvals watch`: what waits, as it comes. On a terminal each call is put before the person, who decides
 * with a key. Neighbours: `approvals.ts`; `server/api-events.ts` tells. Comes back when the gateway does.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { TicketSummary } from '../approvals/ticket.ts'
import { SluiceError } from '../base/sluice-error.ts'
import { createFrameDecoder } from '../sse/decode.ts'
import { messageOf, openApi, type ApiPlace } from './api-client.ts'
import { toLines } from './approvals-lines.ts'
import { createKeys } from './approvals-keys.ts'
import { parseObject } from '../base/json.ts'
import { visible, type Output } from './output.ts'

export interface WatchOptions {
  readonly out: Output
  readonly err: Output
  readonly json: boolean
  readonly by: string | undefined
}

const AGAIN_MS = 2000

/** Until it is ended from outside, or its reader has left. */
export async function watchApprovals(place: ApiPlace, options: WatchOptions): Promise<number> {
  const { out, err, json } = options
  const keys =
    !json && process.stdin.isTTY && process.stdout.isTTY ? createKeys(place, options) : undefined
  const isOver = (): boolean => out.isGone || keys?.isDone() === true
  const once = (): Promise<void> => {
    const stop = new AbortController()
    keys?.onDone(() => stop.abort())
    return listen(place, stop.signal, async (type, data) => {
      if (json) await out.line(JSON.stringify({ event: type, data: parseObject(data) }))
      else await tell(type, data, { out, take: keys?.take ?? (() => {}) })
      return !out.isGone
    })
  }
  try {
    // Wrong from the start is told; what breaks later is waited for.
    await once().catch((error: unknown) => {
      if (error instanceof SluiceError && !isOver()) throw error
    })
    while (!isOver()) {
      await err.line(err.style('dim', 'The gateway is gone: waiting for it'))
      await pause(AGAIN_MS)
      await once().catch(() => {})
    }
  } finally {
    keys?.close()
  }
  return 0
}

async function listen(
  place: ApiPlace,
  signal: AbortSignal,
  take: (type: string, data: string) => Promise<boolean>,
): Promise<void> {
  const response = await openApi(place, '/api/events', { signal })
  if (!response.ok) {
    const said = messageOf(parseObject(await response.text()) ?? {})
    throw new SluiceError('wrong-use', said ?? `The gateway answered ${response.status}`)
  }
  const decoder = createFrameDecoder()
  for await (const piece of response.body ?? [])
    for (const { event, data } of decoder.push(piece))
      if (event !== undefined && data !== undefined && !(await take(event, data))) return
}

async function tell(
  type: string,
  data: string,
  { out, take }: { readonly out: Output; take(type: string, ticket: TicketSummary): void },
): Promise<void> {
  const body = parseObject(data) ?? {}
  if (type === 'state') {
    const pending = body['pending'] as readonly TicketSummary[]
    if (pending.length === 0) await out.line(out.style('dim', 'Nothing waits for you yet.'))
    for (const one of pending) {
      await out.line(toLines(one, Date.now(), out))
      take('asked', one)
    }
    return
  }
  if (type === 'halt') {
    const words = body['halted'] === true ? 'All tool calls are halted' : 'Tool calls go through'
    return await out.line(out.style('red', words))
  }
  const ticket = body as unknown as TicketSummary
  if (type === 'asked') await out.line(toLines(ticket, Date.now(), out))
  if (type === 'decided')
    await out.line(
      `${ticket.ticket}  ${out.style('dim', visible(`${ticket.decision?.type} by ${ticket.decision?.by}`))}`,
    )
  if (type === 'expired') await out.line(`${ticket.ticket}  ${out.style('dim', 'expired')}`)
  take(type, ticket)
}
