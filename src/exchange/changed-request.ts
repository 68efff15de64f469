/**
 * A request that a policy changed → the client's own body with the change in it, and everything else as it came. Tried
 * in turn: other words at their place, other settings, tools and turns around those that stay, and at last everything
 * written anew from our own form, which may lose what only the client's vendor knows. Each is read again: it counts only
 * if it says what the policy said. Neighbours: `policies.ts`; `changed-texts.ts`, `changed-fields.ts`.
 */
import type { JsonObject } from '../base/json.ts'
import type { ModelRequest } from '../request/request.ts'
import type { Wire } from '../wire/wire.ts'
import { changeFields, writeAnew } from './changed-fields.ts'
import { exchangeTexts } from './changed-texts.ts'
import { isLike } from './request-likeness.ts'

/** The body; `undefined` when it cannot be written. What did not change in it is the same objects as before. */
export function writeChanged(
  wire: Wire,
  before: ModelRequest,
  after: ModelRequest,
): JsonObject | undefined {
  const body = exchangeTexts(before, after)
  if (says(wire, body, after)) return body
  const changed = changeFields(wire, { before, after, body })
  if (changed !== undefined && says(wire, changed, after)) return changed
  return writeAnew(wire, before, after)
}

function says(wire: Wire, body: JsonObject, after: ModelRequest): boolean {
  const read = wire.readRequest(body)
  return read.ok && isLike(read.request, after)
}
