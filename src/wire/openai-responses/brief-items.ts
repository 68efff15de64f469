/**
 * The output items of a response that nobody reads: whether one of them is a call, since that is how its end is known for
 * a tool's. Neighbours: `open-items.ts` follows each of them, for whoever does; `items.ts` says what they are.
 */
import { toObject, type JsonObject } from '../../base/json.ts'
import { readItem } from './items.ts'
import type { OpenItems } from './open-items.ts'

export function createBriefItems(): OpenItems {
  function look(item: JsonObject | undefined): void {
    if (brief.hasToolCall || item === undefined || item['type'] === 'message') return
    brief.hasToolCall = readItem(item, 0).type === 'tool-call'
  }

  const brief: OpenItems & { hasToolCall: boolean } = {
    hasToolCall: false,
    read: (json) => look(toObject(json['item'])),
    closeAll: (output) => output.forEach((item) => look(toObject(item))),
    release() {},
  }
  return brief
}
