/** The schema of the tool that is called, among those that the client declared. Pure. */
import type { TicketSummary } from '../../src/approvals/ticket.ts'
import { fullName } from '../../src/event/block.ts'
import type { ToolView } from '../blocks/request-view.ts'

export function findSchema(
  tools: readonly ToolView[] | undefined,
  { name = '', namespace }: TicketSummary['call'],
): unknown {
  const whole = fullName({ name, namespace })
  return (tools?.find((tool) => tool.name === whole) ?? tools?.find((tool) => tool.name === name))
    ?.schema
}
