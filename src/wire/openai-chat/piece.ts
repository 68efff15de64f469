/**
 * A frame that says one piece of one block and nothing else → its text. Neighbours: `../wire.ts` says what for. A chunk of this
 * wire may say several things at once, in one choice or in several: such a one is none.
 */
import { toList, toObject, type JsonObject } from '../../base/json.ts'

/** Where texts stand. */
const TEXTS = ['content', 'refusal', 'reasoning_content', 'reasoning']

export function readPiece(chunk: JsonObject): string | undefined {
  const [choice, ...others] = toList(chunk['choices']).map(toObject)
  const delta = toObject(choice?.['delta'])
  if (choice === undefined || delta === undefined || others.length > 0) return undefined
  if (isSaid(choice['message']) || isSaid(choice['finish_reason'])) return undefined
  const [name, ...more] = Object.keys(delta).filter(
    (key) => key !== 'role' && isSaid(delta[key]) && !isSaidAgain(key, delta),
  )
  if (name === undefined || more.length > 0) return undefined
  if (name === 'tool_calls') return readArguments(delta[name])
  const text = TEXTS.includes(name) ? delta[name] : undefined
  return typeof text === 'string' ? text : undefined
}

/** Reasoning that the details have word for word, as OpenRouter writes it, with nothing sealed in them. */
function isSaidAgain(key: string, delta: JsonObject): boolean {
  if (key !== 'reasoning_details') return false
  const [detail, ...others] = toList(delta[key]).map(toObject)
  if (detail === undefined || others.length > 0) return false
  if (isSaid(detail['signature']) || isSaid(detail['data'])) return false
  const text = detail['text'] ?? detail['summary']
  return isSaid(text) && text === (delta['reasoning_content'] ?? delta['reasoning'])
}

/** More of one call: where a name stands, the text decides whether it is another. */
function readArguments(calls: unknown): string | undefined {
  const [call, ...others] = toList(calls).map(toObject)
  const own = toObject(call?.['function'])
  if (own === undefined || others.length > 0 || isSaid(call?.['custom'])) return undefined
  const text = isSaid(own['name']) ? undefined : own['arguments']
  return typeof text === 'string' ? text : undefined
}

const isSaid = (value: unknown): boolean =>
  value !== undefined &&
  value !== null &&
  value !== '' &&
  !(Array.isArray(value) && value.length === 0)
