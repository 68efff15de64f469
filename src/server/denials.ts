/**
 * Requests that are turned away at the door, in the words of their client's wire, and reported like any other.
 * Neighbours: `gateway.ts` decides that; `exchange/refuse.ts` writes it.
 */
import type { Endpoint } from '../exchange/endpoint.ts'
import { Draft } from '../exchange/draft.ts'
import type { Client } from '../exchange/exchange.ts'
import { endTape, openTape } from '../exchange/recording.ts'
import { refuse } from '../exchange/refuse.ts'
import type { ExchangeReport } from '../exchange/report.ts'
import type { StreamFault } from '../event/fault.ts'
import type { Ledger } from '../shared/ledger.ts'
import { WIRES } from '../wire/wires.ts'
import { toInput, wireOf, type Visit } from './visit.ts'

type Headers = Readonly<Record<string, string>>
type OverLimit = NonNullable<ReturnType<Ledger['begin']>>

interface Denials {
  deny(visit: Visit, status: number, fault: StreamFault, headers?: Headers): void
  /** Recorded too, while there is room: whose budget is used up wants to know when that was. */
  denyLimit(visit: Visit, client: Client, limit: OverLimit): void
}

export const createDenials = (tell: (report: ExchangeReport) => void): Denials => ({
  deny(visit, status, fault, headers = {}) {
    const draft = new Draft(toInput(visit, NOBODY))
    refuse(visit, WIRES[wireOf(visit.found)], { status, fault, headers })
    tell(draft.finish({ outcome: 'refused', status, fault }))
  },
  denyLimit(visit, client, { fault, retryAfter }) {
    const input = toInput(visit, client)
    const draft = new Draft(input)
    const { recorder } = input.room
    if (recorder?.admit() === true) openTape(recorder, draft, undefined)
    const isOver = fault.kind === 'billing'
    const status = isOver && wireOf(visit.found) === 'anthropic-messages' ? 402 : 429
    const headers: Headers = isOver
      ? { 'x-should-retry': 'false' }
      : { 'retry-after': String(retryAfter ?? 1) }
    draft.refused(refuse(visit, WIRES[wireOf(visit.found)], { status, fault, headers }))
    tell(draft.finish({ outcome: 'refused', status, fault }))
    endTape(input, draft)
  },
})

const NOBODY: Client = { key: undefined, models: undefined, hasOwnCredential: false }
export const RETRY = { 'retry-after': '1' }
export const TOO_MANY: StreamFault = {
  kind: 'overloaded',
  message: 'The gateway has as many requests under way as it may: try again in a moment',
}
export const UNREAD: StreamFault = {
  kind: 'overloaded',
  message:
    'The gateway cannot read its policies at the moment, and serves nobody without them: try again in a moment',
}
/** OpenAI's word for what is not there is about models. */
export const toMissing = (wire: Endpoint['wire']): StreamFault['kind'] =>
  wire === 'anthropic-messages' ? 'not-found' : 'invalid-request'
