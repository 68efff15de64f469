/** From one place where a policy acted to the next: among what is drawn, or among all turns. Neighbours: `turn-list.tsx`. */
import type { TurnItem } from './conversation-data.ts'

/** Whether anything but a pass was decided in it. */
const hasActed = ({ summary }: TurnItem): boolean => countActed(summary?.verdicts) > 0

export const countActed = (verdicts: Readonly<Record<string, number>> = {}): number =>
  Object.entries(verdicts).reduce((sum, [type, count]) => sum + (type === 'pass' ? 0 : count), 0)

/** The next turn behind or before that one where a policy acted. */
export function nextIndex(
  items: readonly TurnItem[],
  from: number,
  by: 1 | -1,
): number | undefined {
  for (let at = from + by; at >= 0 && at < items.length; at += by) {
    const item = items[at]
    if (item !== undefined && hasActed(item)) return at
  }
  // The one that is in sight already, where nothing has the focus yet.
  const here = items[from]
  return here !== undefined && hasActed(here) ? from : undefined
}

/** Among what is drawn: behind or before what has the focus, or else in sight. */
export function nextActed(place: HTMLElement, by: 1 | -1): HTMLElement | undefined {
  const acted = [...place.querySelectorAll<HTMLElement>('[data-acted]')]
  const current = acted.findIndex((one) => one === document.activeElement)
  if (current !== -1) return acted[current + by]
  const { top, bottom } = place.getBoundingClientRect()
  const inSight = acted.filter((one) => {
    const box = one.getBoundingClientRect()
    return box.bottom > top && box.top < bottom
  })
  return by === 1 ? inSight[0] : inSight.at(-1)
}
