/**
 * Samples of a gateway at rest → whether it keeps something of every exchange. Neighbours: `rest.ts` takes and
 * judges them, `report.ts` shows them.
 *
 * The books of a gateway (answers that clients may come back to, memories of conversations) are bounded, and fill up at
 * first. So the second half is looked at, and in it the line that lies nearest to all samples, because a single one goes
 * up and down by some megabytes.
 */
import type { Sample } from './gateway.ts'

export interface Rest extends Sample {
  /** How many exchanges there had been. */
  readonly exchanges: number
}

export interface Growth {
  /** Bytes over the second half, by the line. */
  readonly held: number
  readonly rss: number
  /** Bytes that are held for each exchange more. */
  readonly perExchange: number
}

export function growthOf(rests: readonly Rest[]): Growth {
  // Of a few samples there is no half that says anything; and the process has kept the first bursts just now.
  const isFew = rests.length < FEW
  const half = isFew ? rests : rests.slice(Math.floor(rests.length / 2))
  const span = (half.at(-1)?.exchanges ?? 0) - (half[0]?.exchanges ?? 0)
  const perExchange = slope(half.map(({ exchanges, held }) => [exchanges, held]))
  const rssEach = slope(half.map(({ exchanges, rss }) => [exchanges, rss]))
  return { held: perExchange * span, rss: isFew ? 0 : rssEach * span, perExchange }
}

const FEW = 6

/** Least squares. */
function slope(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length
  const meanX = mean(points.map(([x]) => x))
  const meanY = mean(points.map(([, y]) => y))
  const above = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0)
  const below = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0)
  return below === 0 ? 0 : above / below
}
