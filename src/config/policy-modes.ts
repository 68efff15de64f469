/**
 * What was said of policies since their config was written → the policies as they act. Neighbours: the store keeps what
 * was said, `server/policy-modes.ts` follows it, a backtest of a config tries what would be live.
 */
import type { PolicyMode } from '../store/store.ts'
import type { PolicySettings } from './settings.ts'

/** The same list where nothing that was said makes a difference. It holds for one version of a policy. */
export function withModes(
  policies: readonly PolicySettings[],
  modes: readonly PolicyMode[],
): readonly PolicySettings[] {
  const known = new Map(modes.map((mode) => [modeKey(mode.policy, mode.version), mode]))
  const list = policies.map((one) => {
    const said = known.get(modeKey(one.name, one.version))
    const mode = said !== undefined && holdsFor(one, said) ? said.mode : undefined
    const isShadow = mode === 'shadow'
    return mode === undefined || isShadow === one.installed.isShadow
      ? one
      : { ...one, installed: { ...one.installed, isShadow } }
  })
  return list.every((one, at) => one === policies[at]) ? policies : list
}

/** An edit says how it begins: what was said of the same text before is over. */
export const holdsFor = (
  { name, version, edit }: Pick<PolicySettings, 'name' | 'version' | 'edit'>,
  mode: PolicyMode,
): boolean =>
  mode.policy === name && mode.version === version && (edit === undefined || mode.at >= edit.at)

export const modeKey = (policy: string, version: string): string => `${policy}\n${version}`
