/**
 * The kill switch, for answers in which no gate holds the calls: while it is on none leaves, whenever it was asked for, and
 * those under way end. Neighbours: `deliver.ts` asks; where gates hold calls, `policy/last-look.ts` sees to it.
 */
import type { StreamFault } from '../event/fault.ts'
import type { Delivery } from './deliver.ts'
import { tellsAnswer } from './endpoint.ts'
import { toStatus } from './fault-status.ts'
import { refuse } from './refuse.ts'
import type { OnHalt } from './relay.ts'
import type { ExchangeReport } from './report.ts'

/** An answer that nobody looks at ends when somebody stops all tool calls: there may be one in it. */
export const onHalt =
  (delivery: Delivery): OnHalt =>
  (callback) =>
    delivery.input.room.policies.onHalt(() => {
      const halted = haltedNow(delivery)
      if (halted !== undefined) callback(halted)
    })

/** Why an answer cannot leave at this moment; `undefined` where it can, or a gate sees to its calls. */
export function haltedNow({
  input: { room, endpoint },
  policies,
}: Delivery): StreamFault | undefined {
  const reason = room.policies.haltedBy()
  if (reason === undefined || policies?.holdsCalls === true || !tellsAnswer(endpoint))
    return undefined
  return { kind: 'permission', message: `The answer ends here: ${reason}` }
}

export function refuseHalted({ input, wire, draft }: Delivery, fault: StreamFault): ExchangeReport {
  const status = toStatus(fault.kind, wire.name)
  draft.firstByte()
  draft.refused(refuse(input, wire, { fault, status }))
  return draft.finish({ outcome: 'refused', status, fault })
}
