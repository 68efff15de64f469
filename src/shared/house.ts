/**
 * What a process has that keeps the desk, for itself alone or for its workers: tickets, the kill switch, and the way to
 * everybody else. Neighbours: `server/others.ts` has one for a gateway in one process, `server/head-office.ts` one for
 * several; on Postgres a line leads to other gateways. Without one nothing of that runs.
 */
import { createApprovals, type Approvals, type FrontDesk } from '../approvals/approvals.ts'
import type { CheckArguments } from '../approvals/check-answer.ts'
import { createHaltSwitch, type HaltSwitch } from '../approvals/halt.ts'
import type { ApprovalSettings } from '../approvals/settings.ts'
import type { RememberedDecision } from '../approvals/remembered.ts'
import type { WebhooksOptions } from '../approvals/webhooks.ts'
import { createHub, joinHub, type Hub, type HubCircle } from './hub.ts'
import type { PostgresLine } from './postgres-line.ts'
import { createSharedApprovals, type SharedApprovals } from './share-approvals.ts'
import { shareHalt, type SetHalt } from './share-halt.ts'
import { createTicketTable } from './ticket-table.ts'

export interface House {
  /** Where workers and gateways meet. */
  readonly hub: Hub
  /** The others, as this process sees them. */
  readonly circle: HubCircle
  readonly approvals: Approvals & FrontDesk
  readonly halt: HaltSwitch
  readonly setHalt: SetHalt
  /** Resolves when it is known what others know, or when that takes too long. */
  ready(ms: number): Promise<void>
  close(): Promise<void>
}

export interface HouseOptions {
  /** Who this is. */
  readonly self: string
  approvals(): ApprovalSettings
  /** Where the API is reached from outside. */
  url(): string
  readonly checkArguments: CheckArguments
  readonly onWarning: WebhooksOptions['onWarning']
  /** To other gateways, where there is a Postgres. */
  readonly line?: PostgresLine | undefined
}

export function openHouse(options: HouseOptions): House {
  const { self, checkArguments, onWarning, line } = options
  const hub = createHub()
  if (line !== undefined) joinLine(hub, line)
  const circle = joinHub(hub, self, line?.catchUp)
  const halt = createHaltSwitch()
  const setHalt = shareHalt(halt, circle)
  let shared: SharedApprovals | undefined
  const own = createApprovals({
    settings: options.approvals,
    url: options.url,
    checkArguments,
    onWarning,
    decideFirst: (ticket, answer) => shared?.decideFirst(ticket, answer),
    isTaken: (ticket) => shared?.isTaken(ticket) === true,
    onRemember: (one: RememberedDecision) => circle.tell({ type: 'remembered', decisions: [one] }),
  })
  if (line !== undefined)
    shared = createSharedApprovals({
      line,
      own,
      table: createTicketTable(line),
      remember: () => options.approvals().remember,
      checkArguments,
    })
  return {
    hub,
    circle,
    approvals: shared ?? own,
    halt,
    setHalt,
    ready: (ms) => line?.ready(ms) ?? Promise.resolve(),
    async close() {
      own.close()
      circle.leave()
      await line?.close()
    },
  }
}

function joinLine(hub: Hub, line: PostgresLine): void {
  const place = hub.join(undefined, { take: line.send })
  line.onLetter(place.send)
  line.onGone(place.lose)
}
