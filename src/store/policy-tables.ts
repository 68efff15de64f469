/**
 * Versions of policies, and which of them a person told to act or to stay in shadow. Neighbours: gateways note what they
 * run when they start, and look at the modes.
 */
import type { Engine } from './engine.ts'
import { cut, cutOrNull, toWhole } from './fit.ts'
import type { PolicyMode, PolicyVersion } from './store.ts'

/** More are never shown; the newest come first. */
const MAX = 10_000

export async function readPolicyModes({ db }: Engine): Promise<readonly PolicyMode[]> {
  const rows = await db
    .selectFrom('policy_modes')
    .selectAll()
    .orderBy('set_at', 'desc')
    .orderBy('policy')
    .limit(MAX)
    .execute()
  return rows.map((row) => ({
    policy: row.policy,
    version: row.version,
    mode: row.mode === 'acts' ? 'acts' : 'shadow',
    by: row.set_by ?? undefined,
    at: row.set_at,
  }))
}

export async function writePolicyMode(engine: Engine, mode: PolicyMode): Promise<void> {
  const values = { mode: mode.mode, set_by: cutOrNull(mode.by), set_at: toWhole(mode.at) }
  await engine.transact((db) =>
    db
      .insertInto('policy_modes')
      .values({ policy: cut(mode.policy), version: cut(mode.version), ...values })
      .onConflict((conflict) => conflict.columns(['policy', 'version']).doUpdateSet(values))
      .execute(),
  )
}

export async function readPolicyVersions({ db }: Engine): Promise<readonly PolicyVersion[]> {
  const rows = await db
    .selectFrom('policy_versions')
    .selectAll()
    .orderBy('first_seen_at', 'desc')
    .orderBy('policy')
    .limit(MAX)
    .execute()
  return rows.map((row) => ({
    policy: row.policy,
    version: row.version,
    use: row.used,
    isShadow: row.is_shadow === 1,
    firstSeenAt: row.first_seen_at,
  }))
}

export async function writePolicyVersions(
  engine: Engine,
  versions: readonly PolicyVersion[],
): Promise<void> {
  if (versions.length === 0) return
  const rows = versions.map((one) => ({
    policy: cut(one.policy),
    version: cut(one.version),
    used: cut(one.use, 1_000),
    is_shadow: one.isShadow ? 1 : 0,
    first_seen_at: toWhole(one.firstSeenAt),
  }))
  await engine.transact((db) =>
    db
      .insertInto('policy_versions')
      .values(rows)
      .onConflict((conflict) => conflict.doNothing())
      .execute(),
  )
}
