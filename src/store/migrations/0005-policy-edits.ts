/**
 * Policies that were edited while gateways ran: one row for each word that was said, the newest of a policy and a base
 * holds. Neighbours: `tables.ts` has the same as types.
 */
import type { Migration } from './migration.ts'

export const POLICY_EDITS: Migration = {
  version: 5,
  sqlite: [
    `create table policy_edits (
      seq integer primary key,
      policy text not null,
      version text not null,
      base text not null,
      yaml text,
      mode text not null,
      set_by text,
      set_at integer not null,
      note text
    )`,
    'create index policy_edits_by_policy on policy_edits (policy, base, seq)',
  ],
  postgres: [
    `create table policy_edits (
      seq bigint generated always as identity primary key,
      policy text collate "C" not null,
      version text collate "C" not null,
      base text collate "C" not null,
      yaml text,
      mode text collate "C" not null,
      set_by text,
      set_at bigint not null,
      note text
    )`,
    'create index policy_edits_by_policy on policy_edits (policy, base, seq)',
  ],
}
