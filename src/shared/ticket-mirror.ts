/**
 * Tickets of the desk here → the table, as they change. Neighbours: `share-approvals.ts`. What could not be written is
 * written later: always how it stands then, so that nothing has an order to keep.
 */
import type { Desk } from '../approvals/desk.ts'
import type { PostgresLine } from './postgres-line.ts'
import type { TicketNote } from './ticket-note.ts'
import { toNote, type TicketTable } from './ticket-table.ts'

export interface TicketMirror {
  /** It changed. */
  note(ticket: string): void
  /** Writes it now, if it changed. */
  push(ticket: string): Promise<void>
  pushChanged(): Promise<void>
  /** All that changed, and all that wait: the table may have lost track of them. */
  pushAll(): Promise<void>
}

export interface MirrorOptions {
  readonly line: Pick<PostgresLine, 'self' | 'isUp'>
  readonly table: TicketTable
  readonly desk: Desk
  tell(notes: readonly TicketNote[]): void
}

const STEP_MS = 10

export function createTicketMirror({ line, table, desk, tell }: MirrorOptions): TicketMirror {
  const changed = new Set<string>()
  let step: NodeJS.Timeout | undefined
  let work: Promise<void> = Promise.resolve()

  async function write(ticket: string): Promise<void> {
    const kept = desk.kept(ticket)
    if (kept === undefined) return void changed.delete(ticket)
    changed.delete(ticket)
    try {
      const decision = await table.put(kept)
      tell([toNote({ ...kept, decision, gateway: line.self }, false)])
      // Decided elsewhere before it was written here.
      if (decision !== undefined && kept.decision === undefined) desk.settle(ticket, decision)
    } catch (error) {
      changed.add(ticket)
      throw error
    }
  }

  /** One after the other, so that an older state never goes over a newer one. */
  function inTurn(one: () => Promise<void>): Promise<void> {
    const next = work.then(one)
    work = next.catch(() => {})
    return next
  }

  const pushChanged = async (): Promise<void> => {
    for (const ticket of changed) await write(ticket)
  }

  return {
    note(ticket) {
      changed.add(ticket)
      step ??= setTimeout(() => {
        step = undefined
        if (line.isUp()) void inTurn(pushChanged).catch(() => {})
      }, STEP_MS).unref()
    },
    push: (ticket) =>
      inTurn(async () => {
        // It may have gone away while this waited for its turn.
        if (!line.isUp()) throw new Error('Postgres cannot be reached')
        if (changed.has(ticket)) await write(ticket)
      }),
    pushChanged: () => inTurn(pushChanged),
    pushAll: () =>
      inTurn(async () => {
        for (const { ticket, status } of desk.list()) if (status === 'pending') changed.add(ticket)
        await pushChanged()
      }),
  }
}
