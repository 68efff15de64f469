/**
 * Words for effort. Neighbours: `request-items.ts` and `request-settings.ts` read them,
 * `request-write-settings.ts` writes one that the model knows.
 */
import type { Effort } from '../../request/request.ts'

/** From the least to the most. */
const EFFORTS: readonly Effort[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']

export const toEffort = (value: unknown): Effort | undefined =>
  EFFORTS.find((effort) => effort === value)

/**
 * The word of the model's that comes nearest. `none` is only given to who asked for it: it is no small
 * effort but another way to answer.
 */
export function nearestEffort(asked: Effort, known: readonly Effort[]): Effort | undefined {
  if (known.includes(asked)) return asked
  const place = EFFORTS.indexOf(asked)
  const others = known
    .filter((effort) => effort !== 'none')
    .toSorted((a, b) => EFFORTS.indexOf(a) - EFFORTS.indexOf(b))
  // The nearest below, since more costs more; where there is none, the least.
  return others.findLast((effort) => EFFORTS.indexOf(effort) < place) ?? others[0]
}
