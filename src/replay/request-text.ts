/**
 * A recorded request → the words of its last turn, for the search: what a person or a tool said since the model spoke
 * last. Neighbours: `index-answer.ts` has the words of the answer. Reads the end of the conversation only: an agent sends
 * all of it with every request.
 */
import { isObject, type JsonObject } from '../base/json.ts'
import type { WireName } from '../event/event.ts'
import type { Part } from '../request/part.ts'
import { WIRES } from '../wire/wires.ts'
import { joinBytes, parseBody } from './body-form.ts'

/** UTF-16 units. What stands behind is not found. */
const MAX_TEXT = 16 * 1024

export function readRequestText(wire: WireName, pieces: readonly Uint8Array[]): string {
  const body = pieces.length === 0 ? undefined : parseBody(joinBytes(pieces))
  if (!isObject(body)) return ''
  const read = WIRES[wire].readRequest(lastTurn(wire, body))
  if (!read.ok) return ''
  const said: string[] = []
  let length = 0
  for (const part of read.request.turns.filter(({ role }) => role === 'user').flatMap(toParts)) {
    const text = wordsOf(part).slice(0, MAX_TEXT - length)
    if (text !== '') said.push(text)
    length += text.length
  }
  return said.join('\n')
}

const toParts = ({ parts }: { readonly parts: readonly Part[] }): readonly Part[] => parts

/** The body with no more of its conversation than what follows the model's last word. */
function lastTurn(wire: WireName, body: JsonObject): JsonObject {
  const key = wire === 'openai-responses' ? 'input' : 'messages'
  const said = body[key]
  if (!Array.isArray(said)) return body
  const from = said.findLastIndex((one: unknown) => isOfModel(one))
  return { ...body, tools: undefined, [key]: from === -1 ? said : said.slice(from + 1) }
}

/** A message of the model, or an item of Responses that is one: a call, what it thought. */
function isOfModel(one: unknown): boolean {
  if (!isObject(one)) return false
  if (one['role'] !== undefined) return one['role'] === 'assistant'
  const type = one['type']
  return typeof type === 'string' && (type === 'reasoning' || type.endsWith('_call'))
}

function wordsOf(part: Part): string {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return part.text
    case 'tool-result':
      return part.parts.map(wordsOf).join('\n')
    case 'document':
      return part.source.type === 'text' ? part.source.text : ''
    case 'opaque':
      return part.text ?? ''
    case 'image':
    case 'audio':
    case 'thinking':
    case 'tool-call':
      return ''
  }
}
