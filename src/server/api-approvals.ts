/**
 * `/api/approvals`: what waits, and the decision. Neighbours: `api.ts` has let the person in; `approvals/` has the
 * tickets.
 */
import type { ParamValue } from '../api/params.ts'
import type { Approvals } from '../approvals/approvals.ts'
import { readAnswer } from '../approvals/read-answer.ts'
import type { Ticket } from '../approvals/ticket.ts'
import type { JsonObject } from '../base/json.ts'
import type { Log } from '../telemetry/log.ts'
import { fail, say, type Reply } from './api-answer.ts'

export async function answerApprovals(
  approvals: Approvals,
  wanted: ParamValue | undefined,
): Promise<Reply> {
  const all = await approvals.list()
  return say({ approvals: all.filter(({ status }) => wanted === undefined || status === wanted) })
}

export async function showApproval(approvals: Approvals, ticket: string): Promise<Reply> {
  const found = await approvals.show(ticket)
  return found === undefined ? fail(404, UNKNOWN) : say({ approval: found })
}

export async function decideApproval(
  { approvals, log }: { readonly approvals: Approvals; readonly log: Log },
  ticket: string,
  body: JsonObject,
): Promise<Reply> {
  const answer = readAnswer(body)
  if ('message' in answer) return fail(400, answer.message)
  const before = await approvals.show(ticket)
  const outcome = await approvals.decide(ticket, answer)
  switch (outcome.type) {
    case 'unknown':
      return fail(404, UNKNOWN)
    case 'wrong':
      return fail(400, outcome.message)
    case 'already':
      return fail(409, sayAlready(outcome.ticket))
    case 'decided': {
      const { ticket: decided } = outcome
      const by = decided.decision?.by
      log.info('A call was decided', { ticket: decided.ticket, decision: answer.type, by })
      const isLate = before?.isWaitedFor === false
      return say({ approval: decided, ...(isLate ? { note: LATE } : undefined) })
    }
  }
}

const UNKNOWN =
  'There is no such ticket: it was never there, or it is forgotten, as all are ten minutes after they are over'
const LATE =
  'Nobody waits for it now: the decision is used if the client asks for the same call again within ten minutes'

const sayAlready = ({ decision }: Ticket): string =>
  `Already decided by ${decision?.by ?? 'somebody'}: ${decision?.type ?? 'over'}`
