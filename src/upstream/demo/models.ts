/**
 * The list of models in a wire's own form: one model per script. Neighbours: `reply.ts`, `scripts.ts`.
 */
import type { JsonObject } from '../../base/json.ts'
import type { WireName } from '../../event/event.ts'
import { SCRIPTS } from './scripts.ts'

/** The demo's models are as old as this, so that the list never changes by itself. */
const MADE = '2026-01-01T00:00:00Z'

export function writeModels(wire: WireName): JsonObject {
  const names = Object.keys(SCRIPTS)
  if (wire !== 'anthropic-messages')
    return {
      object: 'list',
      data: names.map((id) => ({
        id,
        object: 'model',
        created: Date.parse(MADE) / 1000,
        owned_by: 'sluice',
      })),
    }
  return {
    data: names.map((id) => ({ type: 'model', id, display_name: toTitle(id), created_at: MADE })),
    has_more: false,
    first_id: names[0],
    last_id: names.at(-1),
  }
}

const toTitle = (id: string): string =>
  id
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ')
