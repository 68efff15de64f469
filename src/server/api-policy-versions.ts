/**
 * `GET /api/policies/{name}/versions`: what was ever installed under a name, from configs and by the API, with what each
 * decided. Neighbours: `api-policy-edits.ts` has let them in, the store knows.
 */
import type { PolicyVersionsAnswer, PolicyVersionView } from '../api/types-policies.ts'
import type { PolicyEdit, PolicyVersion, RecordStore, VersionVerdicts } from '../store/store.ts'
import type { PolicyDesk } from './policy-desk.ts'

/** `undefined`: nobody has ever heard of it. */
export async function toVersions(
  desk: PolicyDesk,
  store: Pick<RecordStore, 'policyEdits' | 'policyVersions' | 'versionVerdicts'>,
  name: string,
): Promise<PolicyVersionsAnswer | undefined> {
  const [edits, noted, verdicts] = await Promise.all([
    store.policyEdits(name),
    store.policyVersions(),
    store.versionVerdicts(name),
  ])
  const held = desk.policies().find((one) => one.name === name)
  const configured = desk.settings().policies.find((one) => one.name === name)
  const written = fromEdits(edits)
  const others = noted
    .filter(({ policy, version }) => policy === name && !written.has(version))
    .map((one) => fromConfig(one, one.version === configured?.version ? configured : undefined))
  const all = [...written.values(), ...others]
  if (all.length === 0 && held === undefined) return undefined
  return {
    name,
    versions: all
      .map((one) => ({
        ...one,
        isHeld: one.version === held?.version,
        verdicts: countsOf(verdicts, one.version),
      }))
      .toSorted((one, other) => other.at - one.at),
  }
}

type Known = Omit<PolicyVersionView, 'isHeld' | 'verdicts'>

/** The last word on each version: who brought one back holds it now. */
function fromEdits(edits: readonly PolicyEdit[]): ReadonlyMap<string, Known> {
  const known = new Map<string, Known>()
  for (const { version, yaml, mode, at, by, note } of edits.toReversed())
    if (yaml !== undefined)
      known.set(version, { version, from: 'api', yaml, isShadow: mode === 'shadow', at, by, note })
  return known
}

const fromConfig = (
  { version, use, isShadow, firstSeenAt }: PolicyVersion,
  configured: { readonly source?: { yaml(): string } | undefined } | undefined,
): Known => ({
  version,
  from: 'config',
  use,
  yaml: configured?.source?.yaml(),
  isShadow,
  at: firstSeenAt,
})

const countsOf = (
  verdicts: readonly VersionVerdicts[],
  version: string,
): Readonly<Record<string, number>> => {
  const counts = new Map<string, number>()
  for (const one of verdicts)
    if (one.version === version) counts.set(one.type, (counts.get(one.type) ?? 0) + one.count)
  return Object.fromEntries(counts)
}
