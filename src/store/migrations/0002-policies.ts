/** Versions of policies, and which of them act. Neighbours: `tables.ts` has the same as types. */
import type { Migration } from './migration.ts'

export const POLICIES: Migration = {
  version: 2,
  sqlite: [
    `create table policy_versions (
      policy text not null,
      version text not null,
      used text not null,
      is_shadow integer not null,
      first_seen_at integer not null,
      primary key (policy, version)
    ) without rowid`,
    `create table policy_modes (
      policy text not null,
      version text not null,
      mode text not null,
      set_by text,
      set_at integer not null,
      primary key (policy, version)
    ) without rowid`,
  ],
  postgres: [
    `create table policy_versions (
      policy text collate "C" not null,
      version text collate "C" not null,
      used text not null,
      is_shadow bigint not null,
      first_seen_at bigint not null,
      primary key (policy, version)
    )`,
    `create table policy_modes (
      policy text collate "C" not null,
      version text collate "C" not null,
      mode text collate "C" not null,
      set_by text,
      set_at bigint not null,
      primary key (policy, version)
    )`,
  ],
}
