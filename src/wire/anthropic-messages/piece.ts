/** A frame that says one piece of one block → its text. Neighbours: `../wire.ts` says what for. */
import { toObject, type JsonObject } from '../../base/json.ts'

const TEXTS: Readonly<Record<string, string>> = {
  text_delta: 'text',
  thinking_delta: 'thinking',
  input_json_delta: 'partial_json',
}

export function readPiece(json: JsonObject): string | undefined {
  const delta = json['type'] === 'content_block_delta' ? toObject(json['delta']) : undefined
  const kind = delta?.['type']
  const name = typeof kind === 'string' && Object.hasOwn(TEXTS, kind) ? TEXTS[kind] : undefined
  const text = name === undefined ? undefined : delta?.[name]
  return typeof text === 'string' ? text : undefined
}
