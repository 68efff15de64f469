/** Whether a piece of JSON is of this wire. Neighbours: `../wires.ts` asks all three. */
import { isObject, toText, type JsonObject } from '../../base/json.ts'
import type { Recognised } from '../wire.ts'

const EVENT = /^(?:message_(?:start|delta|stop)|content_block_(?:start|delta|stop)|ping)$/

export function recognise(json: JsonObject): Recognised | undefined {
  const type = toText(json['type'])
  if (type === undefined) return undefined
  if (EVENT.test(type)) return 'chunk'
  if (type === 'message' && Array.isArray(json['content']) && 'stop_reason' in json) return 'answer'
  const isError =
    type === 'error' && isObject(json['error']) && json['sequence_number'] === undefined
  return isError ? 'error' : undefined
}
