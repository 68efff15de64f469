/**
 * `GET /api/policies`: what is installed where, in the order in which it is asked, without what it is made of.
 * Neighbours: `api.ts`; `config/policies.ts` has put them there.
 */
import { whereItApplies } from '../config/select-policies.ts'
import type { PolicySettings } from '../config/settings.ts'
import type { Installed } from '../policy/policy.ts'

export interface PolicyView {
  readonly name: string
  readonly version: string | undefined
  /** A stock policy, or a path or package as the config says it; missing for one of a program's own. */
  readonly use?: string
  readonly holds: readonly string[]
  readonly onError: Installed['onError']
  readonly timeoutMs: number
  readonly isShadow: boolean
  /** What it applies to. Where several say so, all must hold; where none does, it applies to everything. */
  readonly models?: readonly string[] | undefined
  readonly keys?: readonly string[] | undefined
  readonly routes?: readonly string[] | undefined
  /** The same in words; missing where it applies to everything. */
  readonly appliesTo?: string | undefined
}

export function toPolicyViews(
  own: readonly Installed[],
  configured: readonly PolicySettings[],
): readonly PolicyView[] {
  return [...own.map(toView), ...configured.map(toConfigured)]
}

const toConfigured = (one: PolicySettings): PolicyView => ({
  ...toView(one.installed),
  name: one.name,
  version: one.version,
  use: one.use,
  models: one.models,
  // One that stands under a key or a route is for that alone.
  keys: one.key === undefined ? one.keys : [one.key],
  routes: one.route === undefined ? one.routes : [one.route.model],
  appliesTo: whereItApplies(one),
})

const toView = ({ policy, onError, timeoutMs, isShadow }: Installed): PolicyView => ({
  name: policy.name,
  version: policy.version,
  holds: policy.judge === undefined ? [] : (policy.holds ?? ['tool-call']),
  onError,
  timeoutMs,
  isShadow,
})
