/** A frame that says one piece of one block → its text. Neighbours: `../wire.ts` says what for. */
import type { JsonObject } from '../../base/json.ts'

export function readPiece({ type, delta }: JsonObject): string | undefined {
  const isDelta = typeof type === 'string' && type.endsWith('.delta')
  return isDelta && typeof delta === 'string' ? delta : undefined
}
