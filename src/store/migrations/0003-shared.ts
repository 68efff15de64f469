/**
 * What several gateways share on one Postgres: who they are, a log of what they tell each other, calls that wait for a
 * person, what keys have spent. Neighbours: `shared/` has all that reads and writes it. A gateway with a SQLite file is
 * alone, and keeps the little that must outlive it as notes in `meta`.
 */
import type { Migration } from './migration.ts'

export const SHARED: Migration = {
  version: 3,
  sqlite: [],
  postgres: [
    `create table gateways (
      id text collate "C" not null primary key,
      url text not null,
      started_at timestamptz not null default now(),
      alive_until timestamptz not null,
      batch bigint not null default 0
    )`,
    `create table news (
      id bigint generated always as identity primary key,
      gateway text collate "C" not null,
      recipient text collate "C",
      topic text collate "C" not null,
      told_at timestamptz not null default now(),
      size bigint not null,
      body text not null
    )`,
    'create index news_by_topic on news (topic, id)',
    `create table ledger (
      key_name text not null,
      period text collate "C" not null,
      tokens double precision not null,
      used double precision not null,
      rate_requests double precision,
      rate_per double precision,
      changed_at timestamptz not null default now(),
      primary key (key_name, period)
    )`,
    `create table tickets (
      ticket text collate "C" not null primary key,
      gateway text collate "C" not null,
      likeness text collate "C" not null,
      status text collate "C" not null,
      is_waited_for boolean not null,
      is_used boolean not null,
      token_hash text collate "C" not null,
      changed_at timestamptz not null default now(),
      body text not null,
      decision text
    )`,
    'create index tickets_by_likeness on tickets (likeness)',
    'create index tickets_by_status on tickets (status, changed_at)',
  ],
}
