/** All steps in order. Neighbours: `migration.ts` says what one is, `migrate.ts` runs them. */
import { EXCHANGES } from './0001-exchanges.ts'
import { POLICIES } from './0002-policies.ts'
import { SHARED } from './0003-shared.ts'
import { GATEWAY_KEYS } from './0004-gateway-keys.ts'
import { POLICY_EDITS } from './0005-policy-edits.ts'
import { RARE_STATUSES } from './0006-rare-statuses.ts'
import type { Migration } from './migration.ts'

export const MIGRATIONS: readonly Migration[] = [
  EXCHANGES,
  POLICIES,
  SHARED,
  GATEWAY_KEYS,
  POLICY_EDITS,
  RARE_STATUSES,
]
