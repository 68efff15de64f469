/**
 * What the API works with where policies are written while the gateway runs. Neighbours: `gateway.ts` has one,
 * `api-policy-edits.ts` and `backtests.ts` ask it.
 */
import type { PolicySettings, Settings } from '../config/settings.ts'
import type { Installed } from '../policy/policy.ts'
import type { PolicyModes } from './policy-modes.ts'

export interface PolicyDesk extends Pick<PolicyModes, 'edit' | 'fallen'> {
  /** As the config has them, with all keys that may be named. */
  settings(): Settings
  /** As they are edited now, whatever was said of acting. */
  policies(): readonly PolicySettings[]
  /** Of the program itself: they stand before all others and are no text. */
  readonly own: readonly Installed[]
}

export const createPolicyDesk = (
  modes: Pick<PolicyModes, 'edit' | 'edited' | 'fallen'>,
  settings: () => Settings,
  own: readonly Installed[],
): PolicyDesk => ({
  settings,
  policies: () => modes.edited(settings().policies),
  own,
  edit: (edit, isNext) => modes.edit(edit, isNext),
  fallen: () => modes.fallen(),
})
