/**
 * A long answer that passed as it came and then broke off: what left first is what came first, and has gone ahead under
 * that name alone. Neighbours: `process-item.ts` puts it in front of the rest, so that readers find all of it.
 */
import type { Piece } from '../store/record.ts'
import { withDropped } from './dropped.ts'
import type { FinishedExchange } from './outbox.ts'
import { BLOCK_BYTES } from './reel.ts'

/** `came`: what has gone ahead of the upstream's bytes. When each came is known there. */
export function withPassed(
  exchange: FinishedExchange,
  came: readonly Uint8Array[],
): FinishedExchange {
  const { passed = 0, row, pieces } = exchange
  if (passed === 0) return exchange
  const rest = pieces.filter(({ kind }) => kind !== 'delivered')
  const bytes = Buffer.concat(came)
  if (bytes.length < passed * BLOCK_BYTES)
    return { ...exchange, row: withDropped(row, ['delivered']), pieces: rest, passed: 0 }
  const before = Array.from({ length: passed }, (_, seq): Piece => {
    const block = bytes.subarray(seq * BLOCK_BYTES, (seq + 1) * BLOCK_BYTES)
    return { kind: 'delivered', seq, bytes: block, times: [block.length, 0] }
  })
  const own = pieces.filter(({ kind }) => kind === 'delivered')
  return { ...exchange, pieces: [...rest, ...before, ...own], passed: 0 }
}

/** The same where they were held back and stand among the others. */
export const withHeldPassed = (exchange: FinishedExchange): FinishedExchange =>
  withPassed(
    exchange,
    exchange.pieces.filter(({ kind }) => kind === 'upstream').map(({ bytes }) => bytes),
  )
