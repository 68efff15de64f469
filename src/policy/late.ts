/**
 * What comes behind the end of an answer. Some clients read on there, and would run a call that no policy has seen: what
 * says anything does not leave. Comments, pings and the bare word of the end do. Neighbours: `engine.ts` asks once it has seen the
 * end. Knows no wire: behind the end nothing is said on any.
 */
import { parseObject, type JsonObject } from '../base/json.ts'
import type { StreamEvent } from '../event/event.ts'

export function isLate(event: StreamEvent): boolean {
  if (event.type !== 'other') return false
  const data = event.step?.frame.data
  const json = data === undefined ? undefined : parseObject(data)
  return json !== undefined && !isSignOfLife(json)
}

/** Some gateways count behind the end what an answer cost: figures, and nothing that holds anything. */
const isSignOfLife = ({ type, ...rest }: JsonObject): boolean =>
  (type === undefined || type === 'ping' || type === 'keepalive') &&
  Object.values(rest).every((value) => typeof value !== 'object' || value === null)
