/** Answers that are no 200 are few, and whoever looks for one wants it at once. Neighbours: `conditions.ts` asks. */
import type { Migration } from './migration.ts'

const BY_STATUS = 'create index exchanges_by_status on exchanges (status, n) where status <> 200'

export const RARE_STATUSES: Migration = { version: 6, sqlite: [BY_STATUS], postgres: [BY_STATUS] }
