/**
 * The kill switches of all gateways as one. Neighbours: `approvals/halt.ts` is the switch here, `circle.ts` carries. The
 * last turn holds, by its time, and a turn is always later than those that were known where it was made; so that all
 * come to the same, in whatever order they hear of it.
 */
import type { HaltState, HaltSwitch } from '../approvals/halt.ts'
import type { Circle } from './circle.ts'

export type SetHalt = (halted: boolean, by?: string, reason?: string) => Promise<HaltState>

/** Gives back what turns the switch of all. */
export function shareHalt(halt: HaltSwitch, circle: Pick<Circle, 'tell' | 'onLetter'>): SetHalt {
  circle.onLetter(({ news }) => {
    if (news.type === 'halt' && isLater(news.state, halt.state())) halt.follow(news.state)
  })
  return (halted, by, reason) => {
    const state = halt.set(halted, by, reason)
    circle.tell({ type: 'halt', state })
    return Promise.resolve(state)
  }
}

/** Of two at the same time the one that stops. */
function isLater(one: HaltState, other: HaltState): boolean {
  const [at, before] = [one.at ?? 0, other.at ?? 0]
  return at > before || (at === before && one.halted && !other.halted)
}
