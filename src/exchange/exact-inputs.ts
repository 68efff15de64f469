/**
 * The inputs of calls in a Messages request, with each digit of their numbers. They are objects there and text on the
 * other wires, so that an id of 64 bits would be rounded on the way. Neighbours: `way.ts` asks, `base/json-exact.ts`
 * reads and writes such numbers.
 */
import { isObject, toList, toObject, type JsonObject } from '../base/json.ts'
import { losesDigits, parseExactObject } from '../base/json-exact.ts'

/** The same object where no number would be lost, which is nearly always. */
export function withExactInputs(json: JsonObject, body: Uint8Array): JsonObject {
  const text = Buffer.from(body.buffer, body.byteOffset, body.length).toString('utf8')
  if (!losesDigits(text)) return json
  const exact = toList(parseExactObject(text)?.['messages'])
  const messages = toList(json['messages']).map((message, i) => {
    if (!isObject(message) || !Array.isArray(message['content'])) return message
    const own = toList(toObject(exact[i])?.['content'])
    return { ...message, content: message['content'].map((block, j) => withInput(block, own[j])) }
  })
  return Array.isArray(json['messages']) ? { ...json, messages } : json
}

const withInput = (block: unknown, exact: unknown): unknown =>
  isObject(block) && isObject(block['input'])
    ? { ...block, input: toObject(exact)?.['input'] ?? block['input'] }
    : block
