/**
 * Where questions wait for a person: each has a ticket, a deadline and one decision. Neighbours: `approvals.ts` is
 * the way to it in one process, `branch.ts` in several; `webhooks.ts` and the API decide. Knows no engine: a
 * question is plain values and somebody to tell.
 *
 * A ticket outlives its client: who was cut off and asks the same again joins it, or gets what was decided
 * meanwhile. So does a decision that came too late for the call, for the next one that is the same.
 */
import { timingSafeEqual } from 'node:crypto'
import type { Decision } from '../policy/policy.ts'
import type { Asked } from './asked.ts'
import { checkAnswer, type CheckArguments } from './check-answer.ts'
import {
  sizeOf,
  toDecision,
  toEntry,
  toKept,
  toSummary,
  toTicket,
  toTicketDecision,
  type Entry,
  type KeptTicket,
  type Waiter,
} from './entry.ts'
import { createRemembered, type RememberedDecision } from './remembered.ts'
import { JSON_DEADLINE_MS, type ApprovalSettings } from './settings.ts'
import { createShelf } from './shelf.ts'
import {
  createTicketName,
  readTicketName,
  type Answer,
  type ApprovalNews,
  type Outcome,
  type Ticket,
  type TicketDecision,
  type TicketSummary,
} from './ticket.ts'

export interface DeskOptions {
  now(): number
  random(size: number): Uint8Array
  /** As they stand: they may change while it runs. */
  settings(): ApprovalSettings
  readonly checkArguments?: CheckArguments | undefined
  onNews(news: ApprovalNews): void
  /** A decision holds for more than its call. */
  onRemember?(one: RememberedDecision): void
  /** Whether a name is in use at another desk. */
  isTaken?(ticket: string): boolean
}

export interface Desk {
  /** Calls back once, perhaps at once. Gives back how to leave before. */
  ask(asked: Asked, tell: (decision: Decision) => void): () => void
  /** Whether it would be answered at once, or join a ticket that is here. */
  knows(asked: Asked): boolean
  /** Those that wait, the oldest first, then those that are over. */
  list(): readonly TicketSummary[]
  show(ticket: string): Ticket | undefined
  /** The first decision counts. */
  decide(ticket: string, answer: Answer): Outcome
  /** What somebody decided at another desk, and was checked there. Whether it was news here. */
  settle(ticket: string, decision: TicketDecision): boolean
  /** All of it, for other desks. */
  kept(ticket: string): KeptTicket | undefined
  /** Takes over a ticket of another desk, for which nobody waits there. */
  adopt(kept: KeptTicket): void
  /** Another desk has taken it over. */
  release(ticket: string): void
  /** What another desk remembers. */
  learn(one: RememberedDecision): void
  tokenOf(ticket: string): string | undefined
  /** Whether that token is for that ticket. */
  isToken(ticket: string, token: string): boolean
  close(): void
}

const TOKEN_BYTES = 24

export function createDesk(options: DeskOptions): Desk {
  const { now, settings } = options
  const shelf = createShelf()
  const remembered = createRemembered()

  const find = (typed: string): Entry | undefined => shelf.find(readTicketName(typed), now())
  const say = (type: ApprovalNews['type'], entry: Entry): void =>
    options.onNews({ type, ticket: toSummary(entry) })

  function open(asked: Asked): Entry {
    const entry: Entry = {
      ticket: createTicketName(
        options.random,
        (name) => shelf.has(name) || options.isTaken?.(name) === true,
      ),
      token: Buffer.from(options.random(TOKEN_BYTES)).toString('base64url'),
      asked,
      askedAt: now(),
      waiters: new Set(),
      deadlineAt: 0,
      timer: undefined,
      status: 'pending',
      closedAt: 0,
      decision: undefined,
      isUsed: false,
    }
    shelf.add(entry)
    return entry
  }

  /** The deadline is of whoever came last: the limits of its client began anew. */
  function wait(entry: Entry, asked: Asked, tell: Waiter['tell']): () => void {
    const { deadline } = settings()
    const ms = asked.isStream ? deadline : Math.min(deadline, JSON_DEADLINE_MS)
    const waiter: Waiter = { exchangeId: asked.exchangeId, tell }
    entry.waiters.add(waiter)
    entry.deadlineAt = now() + ms
    clearTimeout(entry.timer)
    entry.timer = setTimeout(() => expire(entry), ms).unref()
    return () => {
      if (entry.waiters.delete(waiter) && entry.waiters.size === 0) say('waiting', entry)
    }
  }

  function expire(entry: Entry): void {
    const waiters = close(entry, 'expired')
    const seconds = Math.round((entry.closedAt - entry.askedAt) / 1000)
    say('expired', entry)
    for (const { tell } of waiters)
      tell({
        type: 'expired',
        ticket: entry.ticket,
        by: undefined,
        reason: `A person had ${seconds} s to decide`,
      })
  }

  /** Gives back who waited. */
  function close(entry: Entry, status: 'decided' | 'expired'): readonly Waiter[] {
    clearTimeout(entry.timer)
    const waiters = [...entry.waiters]
    entry.waiters.clear()
    entry.status = status
    entry.closedAt = now()
    shelf.close(entry)
    return waiters
  }

  function settle(entry: Entry, decided: TicketDecision): void {
    const waiters = close(entry, 'decided')
    entry.decision = decided
    const decision = toDecision(entry.ticket, decided)
    const more = remembered.add(entry.asked, decision, decided.remember)
    if (more !== undefined) options.onRemember?.(more)
    entry.isUsed = waiters.length > 0 || decided.remember !== 'once'
    say('decided', entry)
    for (const { tell } of waiters) tell(decision)
  }

  return {
    ask(asked, tell) {
      const known = remembered.find(asked) ?? takeUnused(shelf.like(asked.key, now()))
      if (known !== undefined) {
        tell(known)
        return () => {}
      }
      const before = findPending(shelf.like(asked.key, now()))
      if (before !== undefined) {
        const leave = wait(before, asked, tell)
        say('waiting', before)
        return leave
      }
      if (shelf.pending() >= settings().max || !shelf.hasRoom(sizeOf(asked))) {
        tell({ type: 'deny', ticket: '', by: undefined, reason: FULL })
        return () => {}
      }
      const entry = open(asked)
      const leave = wait(entry, asked, tell)
      say('asked', entry)
      return leave
    },
    knows(asked) {
      const like = shelf.like(asked.key, now())
      return (
        remembered.find(asked) !== undefined ||
        findUnused(like) !== undefined ||
        findPending(like) !== undefined
      )
    },
    list: () => shelf.all(now()).map(toSummary),
    show(ticket) {
      const entry = find(ticket)
      return entry === undefined ? undefined : toTicket(entry)
    },
    decide(ticket, answer) {
      const entry = find(ticket)
      if (entry === undefined) return { type: 'unknown' }
      if (entry.decision !== undefined) return { type: 'already', ticket: toTicket(entry) }
      const wrong = checkAnswer(answer, entry.asked, options.checkArguments)
      if (wrong !== undefined) return { type: 'wrong', message: wrong }
      settle(entry, toTicketDecision(answer, settings().remember, now()))
      return { type: 'decided', ticket: toTicket(entry) }
    },
    settle(ticket, decision) {
      const entry = find(ticket)
      if (entry === undefined || entry.decision !== undefined) return false
      settle(entry, decision)
      return true
    },
    kept(ticket) {
      const entry = find(ticket)
      return entry === undefined ? undefined : toKept(entry)
    },
    adopt(kept) {
      if (shelf.has(kept.ticket)) return
      const entry = toEntry(kept, now())
      shelf.add(entry)
      if (entry.status !== 'pending') return shelf.close(entry)
      const ms = Math.max(0, entry.deadlineAt - now())
      entry.timer = setTimeout(() => expire(entry), ms).unref()
    },
    release(ticket) {
      const entry = find(ticket)
      if (entry === undefined || entry.waiters.size > 0) return
      clearTimeout(entry.timer)
      shelf.remove(entry)
    },
    learn: remembered.learn,
    tokenOf: (ticket) => find(ticket)?.token,
    isToken(ticket, token) {
      const expected = Buffer.from(find(ticket)?.token ?? '')
      const given = Buffer.from(token)
      return (
        given.length > 0 && given.length === expected.length && timingSafeEqual(given, expected)
      )
    },
    close: () => shelf.clear(),
  }
}

const FULL =
  'Too many calls wait for a person already, so that this one was not put before one: try again later'

/** What was decided while nobody waited. */
const findUnused = (entries: readonly Entry[]): Entry | undefined =>
  entries.find(({ decision, isUsed }) => decision !== undefined && !isUsed)

/** It is used once. */
function takeUnused(entries: readonly Entry[]): Decision | undefined {
  const entry = findUnused(entries)
  if (entry?.decision === undefined) return undefined
  entry.isUsed = true
  return toDecision(entry.ticket, entry.decision)
}

/** The same call twice in one answer is two calls. */
/** One whose client is gone: a decision is for one call, and not for all that are like it. */
const findPending = (entries: readonly Entry[]): Entry | undefined =>
  entries.find(({ status, waiters }) => status === 'pending' && waiters.size === 0)
