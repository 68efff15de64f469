/**
 * Calls that wait for a person, and the person's way to them: a question of the engine → a decision. Neighbours:
 * `desk.ts` keeps the tickets, `policy/engine.ts` asks, the API and webhooks decide. Knows no wire and no HTTP.
 */
import { randomBytes } from 'node:crypto'
import type { Decision, Question } from '../policy/policy.ts'
import { toAsked, type Asked } from './asked.ts'
import type { CheckArguments } from './check-answer.ts'
import { createDesk, type Desk, type DeskOptions } from './desk.ts'
import { createListeners } from './listeners.ts'
import { APPROVALS, type ApprovalSettings } from './settings.ts'
import type { CallLimits } from './webhook-call.ts'
import { createWebhooks, type WebhooksOptions } from './webhooks.ts'
import type { Answer, ApprovalNews, Outcome, Ticket, TicketSummary } from './ticket.ts'

/** The same in one process and over several: what is asked of it may have to travel. */
export interface Approvals {
  /** Resolves with what a person decides, or that nobody did. */
  ask(question: Question): Promise<Decision>
  /** Those that wait, the oldest first, then those that are over, the newest first. */
  list(): Promise<readonly TicketSummary[]>
  show(ticket: string): Promise<Ticket | undefined>
  decide(ticket: string, answer: Answer): Promise<Outcome>
  /** Whether that token lets its holder decide on that ticket. */
  isToken(ticket: string, token: string): Promise<boolean>
  /** Gives back how to stop listening. */
  onNews(listener: (news: ApprovalNews) => void): () => void
  close(): void
}

export interface ApprovalsOptions {
  readonly now?: () => number
  readonly random?: (size: number) => Uint8Array
  readonly settings?: () => ApprovalSettings
  readonly checkArguments?: CheckArguments | undefined
  readonly onNews?: (news: ApprovalNews) => void
  /** Where the API is reached from outside, for links in webhooks. */
  readonly url?: () => string
  readonly onWarning?: WebhooksOptions['onWarning']
  readonly webhookLimits?: CallLimits
  readonly onRemember?: DeskOptions['onRemember']
  readonly isTaken?: DeskOptions['isTaken']
  /** Asked before a decision is taken, where other gateways have the same tickets; `undefined`: as if there were none. */
  readonly decideFirst?: (
    ticket: string,
    answer: Answer,
    desk: Desk,
  ) => Promise<Outcome> | undefined
}

/** The way to a desk that keeps tickets. */
export interface FrontDesk extends Omit<Approvals, 'ask'> {
  /** Calls back once, perhaps at once. Gives back how to leave before. */
  put(asked: Asked, tell: (decision: Decision) => void): () => void
}

/** In the process that keeps the tickets. */
export interface OwnApprovals extends Approvals, FrontDesk {
  readonly desk: Desk
}

export function createApprovals(options: ApprovalsOptions = {}): OwnApprovals {
  const listeners = createListeners<ApprovalNews>()
  const { now = Date.now, settings = () => APPROVALS, webhookLimits } = options
  const decide: Approvals['decide'] = (ticket, answer) =>
    options.decideFirst?.(ticket, answer, desk) ?? Promise.resolve(desk.decide(ticket, answer))
  const webhooks = createWebhooks({
    now,
    settings,
    decide,
    url: options.url ?? (() => ''),
    onWarning: options.onWarning ?? (() => {}),
    ...(webhookLimits === undefined ? undefined : { limits: webhookLimits }),
  })
  const desk = createDesk({
    now,
    random: options.random ?? randomBytes,
    settings,
    checkArguments: options.checkArguments,
    ...(options.onRemember === undefined ? undefined : { onRemember: options.onRemember }),
    ...(options.isTaken === undefined ? undefined : { isTaken: options.isTaken }),
    onNews(news) {
      webhooks.take(news, desk)
      options.onNews?.(news)
      listeners.tell(news)
    },
  })
  return {
    desk,
    put: desk.ask,
    ask: createAsk(desk.ask),
    list: () => Promise.resolve(desk.list()),
    show: (ticket) => Promise.resolve(desk.show(ticket)),
    decide,
    isToken: (ticket, token) => Promise.resolve(desk.isToken(ticket, token)),
    onNews: listeners.add,
    close() {
      webhooks.close()
      desk.close()
    },
  }
}

/** Questions of the engine, put to a desk. Who leaves gets no decision; the ticket stays. */
export function createAsk(
  put: (asked: Asked, tell: (decision: Decision) => void) => () => void,
): Approvals['ask'] {
  return (question) =>
    new Promise((resolve) => {
      const { signal } = question
      if (signal.aborted) return resolve(LEFT)
      let leave = (): void => {}
      const onAbort = (): void => {
        leave()
        resolve(LEFT)
      }
      signal.addEventListener('abort', onAbort, { once: true })
      leave = put(toAsked(question), (decision) => {
        signal.removeEventListener('abort', onAbort)
        resolve(decision)
      })
    })
}

const LEFT: Decision = {
  type: 'expired',
  by: undefined,
  ticket: '',
  reason: 'Nobody waits for the decision any more',
}
