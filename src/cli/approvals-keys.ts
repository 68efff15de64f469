/**
 * Decisions by one key: the oldest call that waits is asked for, `p` passes, `d` denies, `s` shows all of it, `q` ends.
 * Neighbours: `approvals-watch.ts` tells what waits.
 */
import { ApiError } from '../api/call.ts'
import type { ApiClient } from '../api/client.ts'
import type { TicketSummary } from '../approvals/ticket.ts'
import { ask } from './api-client.ts'
import { toDetails } from './approvals-lines.ts'
import { visible, type Output } from './output.ts'
import { whoAmI } from './who.ts'

export interface Keys {
  take(type: string, ticket: TicketSummary): void
  isDone(): boolean
  onDone(listener: () => void): void
  close(): void
}

/** Who types ahead has not seen what it is about. */
const TOO_SOON_MS = 400

export function createKeys(
  api: ApiClient,
  { out, by }: { readonly out: Output; readonly by: string | undefined },
): Keys {
  const waiting = new Map<string, TicketSummary>()
  let shown: string | undefined
  let shownAt = 0
  let isDone = false
  let onDone = (): void => {}

  /** The oldest, if it is not asked for already. */
  async function prompt(): Promise<void> {
    const [next] = waiting.keys()
    if (next === shown) return
    shown = next
    shownAt = Date.now()
    if (next !== undefined)
      await out.line(`${out.style('yellow', next)}  p pass, d deny, s show all of it, q quit`)
  }

  async function decide(ticket: string, decision: 'pass' | 'deny'): Promise<void> {
    const said = await ask(api.decide(ticket, { decision, by: whoAmI(by) }))
    if (said instanceof ApiError) await out.line(visible(said.message))
    waiting.delete(ticket)
    await prompt()
  }

  async function show(ticket: string): Promise<void> {
    const said = await ask(api.approval(ticket))
    if (!(said instanceof ApiError)) await out.line(toDetails(said.approval, Date.now(), out))
  }

  async function press(key: string): Promise<void> {
    if (key === 'q' || key === '\u0003' || key === '\u0004') {
      isDone = true
      return onDone()
    }
    if (shown === undefined || Date.now() - shownAt < TOO_SOON_MS) return
    if (key === 'p') await decide(shown, 'pass')
    if (key === 'd') await decide(shown, 'deny')
    if (key === 's') await show(shown)
  }

  const onData = (chunk: Buffer): void => {
    // What is pasted is no decision.
    const text = chunk.toString()
    if (text.length === 1)
      press(text).catch((error: unknown) => {
        void out.line(error instanceof Error ? visible(error.message) : 'That did not work')
      })
  }
  process.stdin.setRawMode(true)
  process.stdin.on('data', onData)
  return {
    take(type, ticket) {
      if (type === 'asked' || type === 'waiting') waiting.set(ticket.ticket, ticket)
      else waiting.delete(ticket.ticket)
      void prompt()
    },
    isDone: () => isDone,
    onDone: (listener) => void (onDone = listener),
    close() {
      process.stdin.off('data', onData)
      process.stdin.setRawMode(false)
      process.stdin.pause()
    },
  }
}
