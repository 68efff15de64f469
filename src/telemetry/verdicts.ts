/**
 * What policies decided in one exchange → short words: how often, what, who. Neighbours: `entry.ts` puts them into the log,
 * `spans.ts` into a trace. Never says why, of what, or what it was: reasons and arguments are content.
 */
import type { ExchangeReport } from '../exchange/report.ts'
import type { Clean } from './clean.ts'

/** As many as anybody reads. */
const LISTED = 20
const NAME = 128

/** `deny rules ×2`, `would deny judge`; what only passed stands last. `undefined` where nothing was decided. */
export function toVerdictWords(
  verdicts: ExchangeReport['verdicts'],
  clean: Clean,
): readonly string[] | undefined {
  if (verdicts.length === 0) return undefined
  const counts = new Map<string, number>()
  for (const { type, policy, isShadow } of verdicts) {
    const words = `${isShadow ? 'would ' : ''}${type} ${policy}`
    counts.set(words, (counts.get(words) ?? 0) + 1)
  }
  return [...counts]
    .toSorted(([one], [other]) => Number(isPass(one)) - Number(isPass(other)))
    .slice(0, LISTED)
    .map(([words, count]) => clean(`${words}${count > 1 ? ` ×${count}` : ''}`, NAME))
}

/** Whether it says that something passed: nothing to look at. */
export const isPass = (words: string): boolean => /^(?:would )?pass /.test(words)
