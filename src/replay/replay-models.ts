/**
 * The models of recordings, in a wire's own form. Neighbours: `replay-upstream.ts`; agents ask for the list when they
 * start.
 */
import type { JsonObject } from '../base/json.ts'
import type { WireName } from '../event/event.ts'

export function writeModels(wire: WireName, names: readonly string[]): JsonObject {
  if (wire !== 'anthropic-messages')
    return {
      object: 'list',
      data: names.map((id) => ({ id, object: 'model', created: 0, owned_by: 'sluice' })),
    }
  return {
    data: names.map((id) => ({
      type: 'model',
      id,
      display_name: id,
      created_at: '1970-01-01T00:00:00Z',
    })),
    has_more: false,
    first_id: names[0] ?? null,
    last_id: names.at(-1) ?? null,
  }
}
