/**
 * Exchanges with their bodies, tools, verdicts and words. Neighbours: `tables.ts` has the same as types.
 *
 * Only what lists walk over stands in `exchanges`; on Postgres a wide row would be read whole by every scan. `texts` is
 * all that differs: FTS5 without content (the words are found, the text is not kept twice) against a `tsvector`.
 */
import type { Migration } from './migration.ts'

export const EXCHANGES: Migration = {
  version: 1,
  sqlite: [
    `create table exchanges (
      n integer primary key,
      id text not null,
      request_id text not null,
      started_at integer not null,
      duration_ms real not null,
      first_byte_ms real,
      gateway text not null,
      wire text not null,
      key_name text,
      client text,
      route text,
      upstream text,
      model text,
      upstream_model text,
      answer_model text,
      conversation text,
      status integer not null,
      outcome text not null,
      input_tokens integer,
      output_tokens integer,
      cost real,
      tool_count integer not null,
      is_text_due integer not null,
      stored_bytes integer not null,
      summary text not null
    )`,
    'create table details (n integer primary key, rest text not null)',
    `create table bodies (
      exchange_id text not null,
      kind integer not null,
      seq integer not null,
      codec integer not null,
      bytes blob not null,
      raw_size integer not null,
      times blob not null
    )`,
    `create table loose (
      exchange_id text not null primary key,
      written_at integer not null
    ) without rowid`,
    `create table tools (
      name text not null,
      n integer not null,
      count integer not null,
      primary key (name, n)
    ) without rowid`,
    `create table verdicts (
      seq integer primary key,
      exchange_id text not null,
      at integer not null,
      n integer not null,
      decided_at integer not null,
      policy text not null,
      version text,
      type text not null,
      is_shadow integer not null,
      block text not null,
      tool text,
      rest text not null,
      content blob,
      content_codec integer not null,
      content_hash text not null,
      previous text not null,
      hash text not null
    )`,
    // Without a prefix index: the last word of a search is a range of the words anyway.
    `create virtual table texts using fts5(
      words, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 0'
    )`,
    ...indexes('where conversation is not null', 'where is_text_due = 1'),
  ],
  postgres: [
    `create table exchanges (
      n bigint not null primary key,
      id text collate "C" not null,
      request_id text collate "C" not null,
      started_at bigint not null,
      duration_ms double precision not null,
      first_byte_ms double precision,
      gateway text collate "C" not null,
      wire text collate "C" not null,
      key_name text collate "C",
      client text collate "C",
      route text collate "C",
      upstream text collate "C",
      model text collate "C",
      upstream_model text collate "C",
      answer_model text collate "C",
      conversation text collate "C",
      status bigint not null,
      outcome text collate "C" not null,
      input_tokens bigint,
      output_tokens bigint,
      cost double precision,
      tool_count bigint not null,
      is_text_due bigint not null,
      stored_bytes bigint not null,
      summary text not null
    )`,
    'create table details (n bigint not null primary key, rest text not null)',
    `create table bodies (
      exchange_id text collate "C" not null,
      kind bigint not null,
      seq bigint not null,
      codec bigint not null,
      bytes bytea not null,
      raw_size bigint not null,
      times bytea not null
    )`,
    // They are packed already: trying again would only cost.
    'alter table bodies alter column bytes set storage external',
    `create table loose (
      exchange_id text collate "C" not null primary key,
      written_at bigint not null
    )`,
    `create table tools (
      name text collate "C" not null,
      n bigint not null,
      count bigint not null,
      primary key (name, n)
    )`,
    `create table verdicts (
      seq bigint not null primary key,
      exchange_id text collate "C" not null,
      at bigint not null,
      n bigint not null,
      decided_at bigint not null,
      policy text collate "C" not null,
      version text collate "C",
      type text collate "C" not null,
      is_shadow bigint not null,
      block text collate "C" not null,
      tool text collate "C",
      rest text not null,
      content bytea,
      content_codec bigint not null,
      content_hash text collate "C" not null,
      previous text collate "C" not null,
      hash text collate "C" not null
    )`,
    'create table texts (n bigint not null primary key, words tsvector not null)',
    'create index texts_by_word on texts using gin (words)',
    // With more words in its statistics the planner tells rare ones from common ones: those it looks up, these it walks.
    'alter table texts alter column words set statistics 300',
    ...indexes('where conversation is not null', 'where is_text_due = 1'),
  ],
}

function indexes(hasConversation: string, isTextDue: string): readonly string[] {
  return [
    'create unique index exchanges_by_id on exchanges (id)',
    'create index exchanges_by_request on exchanges (request_id)',
    `create index exchanges_by_conversation on exchanges (conversation, n) ${hasConversation}`,
    `create index exchanges_by_text_due on exchanges (n) ${isTextDue}`,
    'create unique index bodies_by_exchange on bodies (exchange_id, kind, seq)',
    'create index loose_by_time on loose (written_at)',
    'create index tools_by_exchange on tools (n)',
    'create unique index verdicts_by_exchange on verdicts (exchange_id, at)',
    'create index verdicts_by_place on verdicts (n, at)',
    'create index verdicts_by_type on verdicts (type, is_shadow, n, at)',
    'create index verdicts_by_policy on verdicts (policy, n, at)',
  ]
}
