/**
 * A frame that says one piece of one block and nothing else → its text. Neighbours: `../wire.ts` says what for. One that does not
 * say its place is none: there the id of its item tells whose piece it is, and elsewhere some servers make a new one for each.
 */
import type { JsonObject } from '../../base/json.ts'

export function readPiece({ type, delta, output_index: place }: JsonObject): string | undefined {
  const isDelta = typeof type === 'string' && type.endsWith('.delta') && typeof place === 'number'
  return isDelta && typeof delta === 'string' ? delta : undefined
}
