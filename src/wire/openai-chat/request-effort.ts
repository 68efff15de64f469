/**
 * How hard the model is to think, in a word that it knows. Neighbours: `request-write-settings.ts`. The
 * tables are those of the map between the formats.
 */
import type { Effort, Reasoning } from '../../request/request.ts'
import type { Writing } from './request-writing.ts'

const RISING: readonly Effort[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']

export function toEffort(writing: Writing, hasTools: boolean): Effort | undefined {
  const { request, profile, losses, spelling } = writing
  const { efforts } = profile
  const said = request.reasoning.effort
  const field = said === undefined ? spelling.thinking : spelling.effort
  const wanted = said ?? derive(request.reasoning)

  // Such models answer tools and reasoning together with a 400 on this endpoint, and reason by themselves.
  if (hasTools && !profile.takesToolsWithReasoning) {
    const isThinking = wanted !== 'none' && (wanted ?? request.reasoning.mode) !== undefined
    if (isThinking) losses.add('dropped', field)
    return efforts?.includes('none') === true ? 'none' : undefined
  }
  if (wanted === undefined) return undefined
  if (efforts === undefined || efforts.length === 0) {
    if (wanted !== 'none') losses.add('dropped', field)
    return undefined
  }
  const written = nearestOf(wanted, efforts)
  // A budget is turned into a word in any case: that the word is not the highest is no further loss.
  const isExact = written === wanted || (said === undefined && wanted !== 'none')
  if (!isExact) losses.add('approximated', field)
  return written
}

/** Tokens to words. Nothing where the model is to decide by itself. */
function derive({ mode, budget }: Reasoning): Effort | undefined {
  if (mode === 'off') return 'none'
  if (mode !== 'on' || budget === undefined) return undefined
  if (budget < 2048) return 'low'
  if (budget < 12_000) return 'medium'
  return budget < 24_000 ? 'high' : 'xhigh'
}

/** The next lower one, else the lowest. Who wants to think a little is not told to think nothing. */
function nearestOf(wanted: Effort, known: readonly Effort[]): Effort | undefined {
  if (known.includes(wanted)) return wanted
  const thinking = RISING.filter((effort) => effort !== 'none' && known.includes(effort))
  const lower = thinking.filter((effort) => RISING.indexOf(effort) < RISING.indexOf(wanted))
  return lower.at(-1) ?? thinking[0]
}
