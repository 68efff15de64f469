/**
 * The three wires by name. Neighbours: the library's face and the commands; nothing inside `wire/`.
 */
import type { JsonObject } from '../base/json.ts'
import type { WireName } from '../event/event.ts'
import { anthropicMessages } from './anthropic-messages/anthropic-messages.ts'
import { openaiChat } from './openai-chat/openai-chat.ts'
import { openaiResponses } from './openai-responses/openai-responses.ts'
import type { Recognised, Wire } from './wire.ts'

export const WIRES: Readonly<Record<WireName, Wire>> = {
  'anthropic-messages': anthropicMessages,
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
}

export const WIRE_NAMES: readonly WireName[] = [
  'anthropic-messages',
  'openai-chat',
  'openai-responses',
]

export const isWireName = (name: string): name is WireName => Object.hasOwn(WIRES, name)

/** Which wires that JSON could be of, and what it is there. More than one only for bare errors. */
export function recogniseWires(json: JsonObject): readonly { wire: WireName; as: Recognised }[] {
  return WIRE_NAMES.flatMap((wire) => {
    const as = WIRES[wire].recognise(json)
    return as === undefined ? [] : [{ wire, as }]
  })
}
