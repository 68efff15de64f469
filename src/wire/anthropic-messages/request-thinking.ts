/**
 * How hard to think, in the words that the target model takes: an effort, a budget of tokens, or nothing.
 * Neighbours: `request-write.ts` asks; `request-loop.ts` may take thinking back again. Knows no conversation.
 */
import type { JsonObject } from '../../base/json.ts'
import type { Effort, Reasoning } from '../../request/request.ts'
import type { Draft } from './request-draft.ts'

export interface WrittenThinking {
  readonly thinking: JsonObject | undefined
  readonly effort: Effort | undefined
  /** Thinking under a budget: it has rules of its own for sampling, tool choice and history. */
  readonly isManual: boolean
}

const NOTHING: WrittenThinking = { thinking: undefined, effort: undefined, isManual: false }
const OFF: WrittenThinking = { ...NOTHING, thinking: { type: 'disabled' } }

export function writeThinking(draft: Draft, isForced: boolean): WrittenThinking {
  const { profile, request } = draft
  const isOff = request.reasoning.mode === 'off' || request.reasoning.effort === 'none'
  switch (profile.thinking) {
    case 'none':
      if (isAsked(request.reasoning) && !isOff) draft.losses.add('dropped', draft.spelling.effort)
      return NOTHING
    case 'adaptive':
      return isOff ? stopAdaptive(draft) : writeAdaptive(draft, isForced)
    case 'manual':
      return isOff ? OFF : writeManual(draft, isForced)
  }
}

const isAsked = ({ effort, mode, budget }: Reasoning): boolean =>
  effort !== undefined || mode !== undefined || budget !== undefined

const displayOf = ({ shows }: Reasoning): JsonObject =>
  shows === undefined ? {} : { display: shows ? 'summarized' : 'omitted' }

function stopAdaptive({ profile, losses, spelling }: Draft): WrittenThinking {
  if (profile.canStopThinking) return OFF
  losses.add('approximated', spelling.effort)
  return { ...NOTHING, effort: 'low' }
}

function writeAdaptive(draft: Draft, isForced: boolean): WrittenThinking {
  const { reasoning } = draft.request
  if (!isAsked(reasoning) && reasoning.shows !== true) return NOTHING
  const wanted = reasoning.effort ?? effortOf(reasoning.budget)
  return {
    // With a forced call it depends on the model whether it may be asked to think: left to the model.
    thinking: isForced ? undefined : { type: 'adaptive', ...displayOf(reasoning) },
    effort: wanted === undefined ? undefined : nearest(wanted, draft),
    isManual: false,
  }
}

const EFFORTS: readonly Effort[] = ['minimal', 'low', 'medium', 'high', 'xhigh', 'max']

/** The effort itself, or the next one below that the model knows; the least one where there is none below. */
function nearest(wanted: Effort, { profile, losses, spelling }: Draft): Effort | undefined {
  const known = EFFORTS.filter((effort) => profile.efforts?.includes(effort) === true)
  if (known.includes(wanted)) return wanted
  const below = known.filter((effort) => EFFORTS.indexOf(effort) < EFFORTS.indexOf(wanted)).at(-1)
  // "Minimal" is this vendor's "low" by another name.
  if (wanted !== 'minimal')
    losses.add(known.length === 0 ? 'dropped' : 'approximated', spelling.effort)
  return below ?? known[0]
}

function effortOf(budget: number | undefined): Effort | undefined {
  if (budget === undefined) return undefined
  if (budget < 2048) return 'low'
  if (budget < 12_000) return 'medium'
  return budget < 24_000 ? 'high' : 'xhigh'
}

const MIN_BUDGET = 1024
const BUDGETS: Readonly<Record<Effort, number>> = {
  none: 0,
  minimal: MIN_BUDGET,
  low: 2048,
  medium: 8192,
  high: 16_384,
  xhigh: 32_768,
  max: Number.POSITIVE_INFINITY,
}

function writeManual(draft: Draft, isForced: boolean): WrittenThinking {
  const { request, losses, spelling, maxTokens } = draft
  const { reasoning } = request
  if (!isAsked(reasoning)) return NOTHING
  const wanted = reasoning.budget ?? BUDGETS[reasoning.effort ?? 'medium']
  const budget = Math.floor(Math.min(Math.max(wanted, MIN_BUDGET), maxTokens - 1))
  // A forced call with a budget is a 400, and so is a budget that is too small: the answer comes without.
  if (isForced || budget < MIN_BUDGET) {
    losses.add('dropped', spelling.effort)
    return NOTHING
  }
  const thinking = { type: 'enabled', budget_tokens: budget, ...displayOf(reasoning) }
  return { thinking, effort: undefined, isManual: true }
}
