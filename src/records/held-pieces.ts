/**
 * Pieces of exchanges that go on, in memory until they are over. Neighbours: `process-item.ts` masks secrets, which
 * takes the whole body. Bounded: what does not fit is dropped and marked, never written as it is.
 */
import { BODY_KINDS, type BodyKind, type Piece } from '../store/record.ts'
import { withDropped } from './dropped.ts'
import type { FinishedExchange } from './outbox.ts'
import { withHeldPassed } from './passed.ts'

export interface HeldPieces {
  hold(exchangeId: string, piece: Piece): void
  /** The exchange with what was held of it; a body with a hole is left out and marked. */
  take(exchangeId: string, exchange: FinishedExchange): FinishedExchange
}

/** Of all exchanges; half of what may be on its way. */
const MAX_BYTES = 32 * 1024 * 1024
/** Exchanges whose end never came: their gateway's thread knows nothing of them any more. */
const MAX_EXCHANGES = 10_000

export function createHeldPieces(maxBytes = MAX_BYTES): HeldPieces {
  const held = new Map<string, Piece[]>()
  let bytes = 0

  function forget(exchangeId: string): readonly Piece[] {
    const pieces = held.get(exchangeId) ?? []
    held.delete(exchangeId)
    for (const piece of pieces) bytes -= piece.bytes.length
    return pieces
  }

  return {
    hold(exchangeId, piece) {
      // The hole that this leaves is seen when the exchange is over.
      if (bytes + piece.bytes.length > maxBytes) return
      const pieces = held.get(exchangeId)
      if (pieces === undefined) held.set(exchangeId, [piece])
      else pieces.push(piece)
      bytes += piece.bytes.length
      const [oldest] = held.size > MAX_EXCHANGES ? held.keys() : []
      if (oldest !== undefined) forget(oldest)
    },
    take(exchangeId, exchange) {
      const before = forget(exchangeId)
      const whole = withHeldPassed({ ...exchange, pieces: joined(before, exchange) })
      const { pieces } = whole
      const torn = new Set([...tornIn(pieces), ...missingOf(before, exchange)])
      if (torn.size === 0) return whole
      return {
        ...whole,
        row: withDropped(whole.row, torn),
        pieces: pieces.filter(({ kind }) => !torn.has(kind)),
      }
    },
  }
}

/** A body that begins anew, or that is not needed after all, is not what was held of it. */
function joined(held: readonly Piece[], { pieces, without }: FinishedExchange): readonly Piece[] {
  const begun = new Set<BodyKind>(without)
  for (const { kind, seq } of pieces) if (seq === 0) begun.add(kind)
  return [...held.filter(({ kind }) => !begun.has(kind)), ...pieces]
}

/** Bodies of which less was held than has gone ahead: there was no room, or another thread had it, and died. */
const missingOf = (
  held: readonly Piece[],
  { ahead = {}, without, row }: FinishedExchange,
): readonly BodyKind[] =>
  BODY_KINDS.filter((kind) => {
    if (without.includes(kind) || row.dropped.includes(kind)) return false
    return held.filter((piece) => piece.kind === kind).length < (ahead[kind] ?? 0)
  })

/** Bodies whose pieces do not follow each other from the first on. */
function tornIn(pieces: readonly Piece[]): ReadonlySet<BodyKind> {
  const next = new Map<BodyKind, number>()
  const torn = new Set<BodyKind>()
  for (const { kind, seq } of pieces) {
    if (seq !== (next.get(kind) ?? 0)) torn.add(kind)
    next.set(kind, seq + 1)
  }
  return torn
}
