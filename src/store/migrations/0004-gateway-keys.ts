/** Keys that were made while a gateway ran. Neighbours: `tables.ts` has the same as types, `gateway-keys.ts` asks. */
import type { Migration } from './migration.ts'

export const GATEWAY_KEYS: Migration = {
  version: 4,
  sqlite: [
    `create table gateway_keys (
      name text not null primary key,
      hash text not null,
      limits text not null,
      created_at integer not null,
      created_by text,
      revoked_at integer,
      revoked_by text
    ) without rowid`,
  ],
  postgres: [
    `create table gateway_keys (
      name text collate "C" not null primary key,
      hash text collate "C" not null,
      limits text not null,
      created_at bigint not null,
      created_by text,
      revoked_at bigint,
      revoked_by text
    )`,
  ],
}
