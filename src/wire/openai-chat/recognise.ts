/** Whether a piece of JSON is of this wire. Neighbours: `../wires.ts` asks all three. */
import { isObject, toText, type JsonObject } from '../../base/json.ts'
import type { Recognised } from '../wire.ts'

export function recognise(json: JsonObject): Recognised | undefined {
  const object = toText(json['object'])
  if (Array.isArray(json['choices'])) {
    const first: unknown = json['choices'][0]
    const isWhole = isObject(first) && first['delta'] === undefined && isObject(first['message'])
    return object === 'chat.completion' || (isWhole && object !== 'chat.completion.chunk')
      ? 'answer'
      : 'chunk'
  }
  if (object?.startsWith('chat.completion') === true) return 'chunk'
  return json['type'] === undefined && json['error'] != null && object === undefined
    ? 'error'
    : undefined
}
