/**
 * Tickets of all gateways in one table: who waits where, and the one decision of each. Neighbours:
 * `share-approvals.ts` says when; `store/migrations/0003-shared.ts` makes the table. A decision is written where there is
 * none yet, so that of two people who decide at once one is told that somebody was first.
 */
import { createHash } from 'node:crypto'
import { toSummary, toTicket, type KeptTicket } from '../approvals/entry.ts'
import type { Ticket, TicketDecision } from '../approvals/ticket.ts'
import type { PostgresLine } from './postgres-line.ts'
import type { Row } from './postgres-link.ts'
import type { TicketNote } from './ticket-note.ts'

export interface TicketRow extends KeptTicket {
  readonly gateway: string
}

export interface TicketTable {
  /** Writes how it stands; gives back the decision that holds, where there is one. */
  put(kept: KeptTicket): Promise<TicketDecision | undefined>
  find(ticket: string): Promise<TicketRow | undefined>
  /** Those that wait, and those that ended lately. */
  all(): Promise<readonly TicketRow[]>
  /** Whether this is the one decision. */
  decide(ticket: string, decision: TicketDecision): Promise<boolean>
  /**
   * Takes over one of another gateway about that call (the `key` of what was asked), for which nobody waits and whose
   * decision, if there is one, nobody has used.
   */
  take(likeness: string): Promise<TicketRow | undefined>
  /** Those that wait at gateways that are gone: they wait no more. */
  expireGone(): Promise<readonly TicketRow[]>
  isToken(ticket: string, token: string): Promise<boolean>
}

const COLUMNS =
  'ticket, gateway, likeness, status, is_waited_for, is_used, token_hash, body, decision'

const PUT = `
insert into tickets as t (${COLUMNS}) values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
on conflict (ticket) do update set
  gateway = case when t.gateway <> excluded.gateway and t.is_waited_for then t.gateway else excluded.gateway end,
  is_waited_for = excluded.is_waited_for or (t.gateway <> excluded.gateway and t.is_waited_for),
  status = case when t.decision is null then excluded.status else 'decided' end,
  is_used = t.is_used or excluded.is_used,
  body = excluded.body,
  decision = coalesce(t.decision, excluded.decision),
  changed_at = now()
where t.likeness = excluded.likeness
returning decision`

const DECIDE = `
update tickets set decision = $2, status = 'decided', changed_at = now()
where ticket = $1 and decision is null returning ticket`

const TAKE = `
update tickets set gateway = $2, is_waited_for = true, is_used = decision is not null, changed_at = now()
where ticket = (
  select ticket from tickets
  where likeness = $1 and gateway <> $2 and not is_waited_for and not is_used
    and (status = 'pending' or decision is not null and changed_at > now() - interval '10 minutes')
  order by changed_at desc limit 1 for update skip locked)
returning ${COLUMNS}`

const EXPIRE_GONE = `
update tickets set status = 'expired', is_waited_for = false, changed_at = now()
where status = 'pending' and gateway not in (select id from gateways where alive_until > now())
returning ${COLUMNS}`

const ALL = `
select ${COLUMNS} from tickets
where status = 'pending' or changed_at > now() - interval '10 minutes'
order by changed_at desc limit 2000`

export function createTicketTable(
  line: Pick<PostgresLine, 'self' | 'query' | 'seal'>,
): TicketTable {
  const { self, query } = line
  const toKept = (row: Row): TicketRow => fromRow(row, line.seal().open)
  const toFirst = (rows: readonly Row[]): TicketRow | undefined =>
    rows[0] === undefined ? undefined : toKept(rows[0])
  return {
    async put(kept) {
      const { ticket, asked, status, decision, isWaitedFor, isUsed, askedAt, deadlineAt } = kept
      const seal = line.seal()
      const body = seal.close(JSON.stringify({ asked, askedAt, deadlineAt }))
      const decided = decision === undefined ? null : seal.close(JSON.stringify(decision))
      const [row] = await query(PUT, [
        ticket,
        self,
        asked.key,
        status,
        isWaitedFor,
        isUsed,
        digest(kept.token),
        body,
        decided,
      ])
      return readDecision(row?.['decision'], seal.open)
    },
    find: async (ticket) =>
      toFirst(await query(`select ${COLUMNS} from tickets where ticket = $1`, [ticket])),
    all: async () => (await query(ALL)).map(toKept),
    async decide(ticket, decision) {
      const text = line.seal().close(JSON.stringify(decision))
      return (await query(DECIDE, [ticket, text])).length > 0
    },
    take: async (likeness) => toFirst(await query(TAKE, [likeness, self])),
    expireGone: async () => (await query(EXPIRE_GONE)).map(toKept),
    async isToken(ticket, token) {
      if (token === '') return false
      const which = `select 1 from tickets where ticket = $1 and token_hash = $2`
      return (await query(which, [ticket, digest(token)])).length > 0
    },
  }
}

const digest = (token: string): string => createHash('sha256').update(token).digest('hex')

interface Body {
  readonly asked: KeptTicket['asked']
  readonly askedAt: number
  readonly deadlineAt: number
}

function fromRow(row: Row, open: (sealed: string) => string): TicketRow {
  // Written by this room alone, and for this version or a later one.
  const body = JSON.parse(open(String(row['body']))) as Body
  return {
    ticket: String(row['ticket']),
    gateway: String(row['gateway']),
    // Only a digest of it is kept: `isToken` compares that.
    token: '',
    asked: body.asked,
    askedAt: body.askedAt,
    deadlineAt: body.deadlineAt,
    status: row['status'] as KeptTicket['status'],
    isWaitedFor: row['is_waited_for'] === true,
    isUsed: row['is_used'] === true,
    decision: readDecision(row['decision'], open),
  }
}

const readDecision = (
  text: unknown,
  open: (sealed: string) => string,
): TicketDecision | undefined =>
  typeof text === 'string' ? (JSON.parse(open(text)) as TicketDecision) : undefined

const toWaiters = ({ isWaitedFor }: KeptTicket): { readonly size: number } => ({
  size: isWaitedFor ? 1 : 0,
})

/** `isGone`: nobody is there any more who could use the decision at once. */
export function toNote(row: TicketRow, isGone: boolean): TicketNote {
  const { ticket, gateway } = row
  const summary = toSummary({ ...row, waiters: toWaiters(row) })
  return {
    ticket,
    gateway,
    summary: { ...summary, gateway, ...toGoneNote(row, isGone) },
  }
}

export function toWholeTicket(row: TicketRow, isGone: boolean): Ticket {
  const whole = toTicket({ ...row, waiters: toWaiters(row) })
  return { ...whole, gateway: row.gateway, ...toGoneNote(row, isGone) }
}

/** Of one whose decision was used nobody needs to know that. */
const toGoneNote = ({ isUsed }: TicketRow, isGone: boolean): { note?: string } =>
  isGone && !isUsed ? { note: GONE } : {}

const GONE =
  'The gateway that asked is gone, and with it the client that waited: a decision is used if it asks again'
