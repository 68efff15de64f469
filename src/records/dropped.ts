/**
 * What is left of something when its bodies cannot be kept. Neighbours: `process-item.ts` and `writer.ts`. Rows and
 * verdicts always stay; what is missing is named in the row.
 */
import type { VerdictRecord } from '../policy/policy.ts'
import type { BodyKind, ExchangeRow, WriteItem } from '../store/record.ts'

export type ExchangeItem = Extract<WriteItem, { type: 'exchange' }>

/** The row with these marked as missing. */
export const withDropped = (row: ExchangeRow, kinds: Iterable<BodyKind>): ExchangeRow => ({
  ...row,
  dropped: [...new Set([...row.dropped, ...kinds])],
})

/** The exchange without these bodies, and without what was written of them before. */
export function withoutBodies(item: ExchangeItem, kinds: ReadonlySet<BodyKind>): ExchangeItem {
  if (kinds.size === 0) return item
  return {
    ...item,
    row: withDropped(item.row, kinds),
    pieces: item.pieces.filter(({ kind }) => !kinds.has(kind)),
    without: [...new Set([...item.without, ...kinds])],
  }
}

/** A verdict without what it was about. */
export const withoutQuotes = (verdict: VerdictRecord): VerdictRecord => ({
  ...verdict,
  original: undefined,
  delivered: undefined,
})

/** A verdict without any words: a judge's reason may quote what it was about. Which rule it was, and numbers, stay. */
export const withoutReasons = (verdict: VerdictRecord): VerdictRecord => ({
  ...withoutQuotes(verdict),
  reason: undefined,
  details: Object.fromEntries(
    Object.entries(verdict.details).filter(
      ([name, value]) => typeof value !== 'string' || NAMES.has(name),
    ),
  ),
})

const NAMES: ReadonlySet<string> = new Set(['rule', 'ticket'])
