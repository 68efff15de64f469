/** Whether a piece of JSON is of this wire. Neighbours: `../wires.ts` asks all three. */
import { toText, type JsonObject } from '../../base/json.ts'
import type { Recognised } from '../wire.ts'

export function recognise(json: JsonObject): Recognised | undefined {
  const type = toText(json['type'])
  if (json['object'] === 'response') return 'answer'
  if (type?.startsWith('response.') === true || type === 'keepalive') return 'chunk'
  if (type === 'error') return 'chunk'
  return type === undefined && json['error'] != null && json['object'] === undefined
    ? 'error'
    : undefined
}
