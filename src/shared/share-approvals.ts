/**
 * The desks of all gateways as one: asked at one, decided at any, and decided once. Each desk keeps the tickets that are
 * asked at it and goes on alone while Postgres is away; the table has all of them, and notes in the log say that one
 * changed. Neighbours: `approvals/desk.ts` is the desk here, `ticket-table.ts` the table, `postgres-line.ts` the log.
 */
import {
  createAsk,
  type Approvals,
  type FrontDesk,
  type OwnApprovals,
} from '../approvals/approvals.ts'
import { checkAnswer, type CheckArguments } from '../approvals/check-answer.ts'
import { toDecision, toTicketDecision } from '../approvals/entry.ts'
import { createListeners } from '../approvals/listeners.ts'
import { createRemembered } from '../approvals/remembered.ts'
import {
  readTicketName,
  type Answer,
  type ApprovalNews,
  type Outcome,
  type Remember,
} from '../approvals/ticket.ts'
import type { Decision } from '../policy/policy.ts'
import type { Asked } from '../approvals/asked.ts'
import { createTicketBoard, toNewsType } from './ticket-board.ts'
import { createTicketMirror } from './ticket-mirror.ts'
import type { TicketNote } from './ticket-note.ts'
import { toNote, toWholeTicket, type TicketRow, type TicketTable } from './ticket-table.ts'
import type { PostgresLine } from './postgres-line.ts'

export interface SharedApprovals extends Approvals, FrontDesk {
  /** As `ApprovalsOptions.decideFirst`: `undefined` while this gateway is alone. */
  decideFirst(ticket: string, answer: Answer): Promise<Outcome> | undefined
  isTaken(ticket: string): boolean
}

export interface ShareApprovalsOptions {
  readonly line: PostgresLine
  readonly table: TicketTable
  /** The desk here. */
  readonly own: OwnApprovals
  /** How long a decision holds where the person says nothing of it. */
  remember(): Remember
  readonly checkArguments: CheckArguments
}

export function createSharedApprovals(options: ShareApprovalsOptions): SharedApprovals {
  const { line, table, own } = options
  const board = createTicketBoard()
  const listeners = createListeners<ApprovalNews>()
  const isGone = (row: TicketRow): boolean => !line.isAlive(row.gateway)
  const tell = (notes: readonly TicketNote[]): void =>
    line.send({ from: line.self, to: undefined, news: { type: 'tickets', notes } })
  const mirror = createTicketMirror({ line, table, desk: own.desk, tell })

  /** Of another gateway: what it says of a ticket, which may be one of here. */
  async function hear(note: TicketNote): Promise<void> {
    const { desk } = own
    const { ticket, summary } = note
    const here = desk.kept(ticket)
    if (here !== undefined) {
      // Late, of how it was before it came here.
      if (summary.status !== 'decided' && here.decision !== undefined) return
      if (summary.status === 'decided' && here.decision === undefined) {
        const decision = (await table.find(ticket))?.decision
        if (decision !== undefined) desk.settle(ticket, decision)
      }
      // Somebody took this gateway for gone, and the client still waits here.
      if (summary.status === 'expired' && here.status === 'pending') return mirror.note(ticket)
      if (note.gateway === line.self) return
      desk.release(ticket)
      if (desk.kept(ticket) !== undefined) return
    }
    if (note.gateway === line.self) return
    if (board.isPast(note)) return
    const type = toNewsType(board.put(note), summary)
    if (type !== undefined) listeners.tell({ type, ticket: summary })
  }

  async function decide(typed: string, answer: Answer): Promise<Outcome> {
    const ticket = readTicketName(typed)
    await mirror.push(ticket)
    const row = await table.find(ticket)
    if (row === undefined) return own.desk.decide(ticket, answer)
    if (row.decision !== undefined)
      return { type: 'already', ticket: toWholeTicket(row, isGone(row)) }
    const wrong = checkAnswer(answer, row.asked, options.checkArguments)
    if (wrong !== undefined) return { type: 'wrong', message: wrong }
    const decision = toTicketDecision(answer, options.remember(), Date.now())
    const isFirst = await table.decide(ticket, decision)
    const now = (await table.find(ticket)) ?? { ...row, decision }
    const shown = toWholeTicket(now, isGone(now))
    if (!isFirst) return { type: 'already', ticket: shown }
    if (!own.desk.settle(ticket, decision)) await pass(now)
    return { type: 'decided', ticket: shown }
  }

  /** To the gateway where somebody waits; if that one is gone, nobody else remembers what was decided. */
  async function pass(row: TicketRow): Promise<void> {
    const note = toNote(row, isGone(row))
    tell([note])
    await hear(note)
    if (!isGone(row) || row.decision === undefined) return
    const more = createRemembered().add(
      row.asked,
      toDecision(row.ticket, row.decision),
      row.decision.remember,
    )
    if (more === undefined) return
    own.desk.learn(more)
    line.send({
      from: line.self,
      to: undefined,
      news: { type: 'remembered', decisions: [more] },
    })
  }

  /**
   * A client may have asked the same before, at another gateway. The table is asked and not the board: a person may
   * have decided a moment ago, and notes take a moment.
   */
  function put(asked: Asked, answer: (decision: Decision) => void): () => void {
    if (!line.isUp() || own.desk.knows(asked)) return own.put(asked, answer)
    let leave = (): void => {}
    let hasLeft = false
    void adopt(asked.key)
      .catch(() => undefined)
      .then((ticket) => {
        if (!hasLeft) leave = own.put(asked, answer)
        else if (ticket !== undefined) mirror.note(ticket)
      })
    return () => {
      hasLeft = true
      leave()
    }
  }

  /** Takes one about that call over, if there is one that nobody waits for. */
  async function adopt(likeness: string): Promise<string | undefined> {
    const row = await table.take(likeness)
    if (row === undefined) return undefined
    board.remove(row.ticket)
    // It is for the one that asks now, and for nobody at its old desk.
    own.desk.adopt({ ...row, isUsed: false, isWaitedFor: false })
    tell([toNote(row, false)])
    return row.ticket
  }

  async function load(): Promise<void> {
    await mirror.pushAll()
    for (const row of await table.all()) {
      const note = toNote(row, isGone(row))
      if (own.desk.kept(row.ticket) !== undefined) await hear(note)
      else if (row.gateway !== line.self) board.put(note)
    }
  }

  async function expireGone(): Promise<void> {
    const notes = (await table.expireGone()).map((row) => toNote(row, isGone(row)))
    if (notes.length === 0) return
    tell(notes)
    for (const note of notes) await hear(note)
  }

  own.onNews(({ ticket }) => mirror.note(ticket.ticket))
  line.onLetter(({ news }) => {
    if (news.type === 'remembered') for (const one of news.decisions) own.desk.learn(one)
    if (news.type === 'tickets')
      void Promise.all(news.notes.map((note) => hear(note))).catch(() => {})
  })
  line.onUp(load)
  line.onTick(async () => {
    await mirror.pushChanged()
    await expireGone()
  })

  return {
    ask: createAsk(put),
    put,
    async list() {
      const here = (await own.list()).map((one) => ({ ...one, gateway: line.self }))
      return board.with(here)
    },
    async show(typed) {
      const ticket = readTicketName(typed)
      const here = await own.show(ticket)
      if (here !== undefined) return { ...here, gateway: line.self }
      if (!line.isUp()) return undefined
      const row = await table.find(ticket)
      return row === undefined ? undefined : toWholeTicket(row, isGone(row))
    },
    decide: (ticket, answer) => own.decide(ticket, answer),
    decideFirst(ticket, answer) {
      if (!line.isUp()) return undefined
      // Postgres went away in between: then the desk here has the word, if it is its ticket.
      return decide(ticket, answer).catch((error: unknown) => {
        const name = readTicketName(ticket)
        if (own.desk.kept(name) !== undefined) return own.desk.decide(name, answer)
        throw error
      })
    },
    async isToken(ticket, token) {
      const name = readTicketName(ticket)
      if (await own.isToken(name, token)) return true
      return line.isUp() ? await table.isToken(name, token) : false
    },
    isTaken: board.has,
    onNews(listener) {
      const stops = [
        listeners.add(listener),
        own.onNews(({ type, ticket }) =>
          listener({ type, ticket: { ...ticket, gateway: line.self } }),
        ),
      ]
      return () => stops.forEach((stop) => stop())
    },
    close: own.close,
  }
}
