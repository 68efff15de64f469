/**
 * Tells other programs of calls that wait, and takes their word where the config lets them decide. Neighbours:
 * `desk.ts` has the news, `webhook-call.ts` sends. Nobody waits for a webhook: a call is decided by whoever is
 * first, and by its deadline at the latest.
 */
import { parseObject } from '../base/json.ts'
import type { Desk } from './desk.ts'
import { readAnswer } from './read-answer.ts'
import type { ApprovalSettings, WebhookSettings } from './settings.ts'
import type { Answer, ApprovalNews, Outcome, Ticket } from './ticket.ts'
import { callWebhook, type CallLimits } from './webhook-call.ts'

export interface WebhooksOptions {
  now(): number
  settings(): ApprovalSettings
  /** Where the API is reached from outside, without a slash at its end. */
  url(): string
  decide(ticket: string, answer: Answer): Promise<Outcome>
  onWarning(message: string, fields: Readonly<Record<string, string>>): void
  readonly limits?: CallLimits
}

export interface Webhooks {
  take(news: ApprovalNews, desk: Pick<Desk, 'show' | 'tokenOf'>): void
  close(): void
}

/** Messages under way at once, over all webhooks. */
const MAX_OPEN = 1000

export function createWebhooks(options: WebhooksOptions): Webhooks {
  const stopped = new AbortController()
  let open = 0

  async function send(hook: WebhookSettings, told: Told): Promise<void> {
    const { ticket } = told.approval
    const host = new URL(hook.url).host
    if (open >= MAX_OPEN) {
      options.onWarning('A webhook was not told: too many messages are under way', {
        ticket,
        host,
      })
      return
    }
    open += 1
    try {
      const result = await callWebhook({
        url: hook.url,
        secret: hook.secret,
        body: JSON.stringify(told),
        delivery: `${ticket}.${told.type}`,
        signal: stopped.signal,
        now: options.now,
        ...(options.limits === undefined ? undefined : { limits: options.limits }),
      })
      if (result.type === 'failed')
        options.onWarning(`A webhook could not be told: ${result.why}`, { ticket, host })
      if (result.type === 'answered' && hook.decides && told.type === 'asked')
        await decide(result.text, { ticket, host })
    } finally {
      open -= 1
    }
  }

  async function decide(
    text: string,
    { ticket, host }: { readonly ticket: string; readonly host: string },
  ): Promise<void> {
    const read = readDecision(text)
    if (read === undefined) return
    const wrong = 'message' in read ? read.message : undefined
    const outcome =
      'message' in read
        ? undefined
        : await options.decide(ticket, { ...read, by: read.by ?? `webhook ${host}` })
    const why = wrong ?? (outcome?.type === 'wrong' ? outcome.message : undefined)
    if (why !== undefined)
      options.onWarning(`A webhook's decision was not taken: ${why}`, { ticket, host })
  }

  return {
    take(news, desk) {
      if (news.type === 'waiting') return
      const { webhooks } = options.settings()
      if (webhooks.length === 0) return
      const approval = desk.show(news.ticket.ticket)
      const token = desk.tokenOf(news.ticket.ticket)
      if (approval === undefined || token === undefined) return
      const told = toTold(news.type, approval, `${options.url()}/api/approvals`, token)
      for (const hook of webhooks) void send(hook, told)
    },
    close: () => stopped.abort(),
  }
}

/** What is sent. */
interface Told {
  readonly type: 'asked' | 'decided' | 'expired'
  readonly approval: Ticket
  /** Where a decision on this ticket can be posted without any other credential. */
  readonly decide?: { readonly url: string; readonly token: string }
}

function toTold(type: Told['type'], approval: Ticket, base: string, token: string): Told {
  const url = `${base}/${approval.ticket}?token=${token}`
  return { type, approval, ...(type === 'asked' ? { decide: { url, token } } : undefined) }
}

/** `undefined`: it says nothing of a decision, as most do. */
function readDecision(text: string): Answer | { readonly message: string } | undefined {
  const body = parseObject(text)
  return body?.['decision'] === undefined ? undefined : readAnswer(body)
}
