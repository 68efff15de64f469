/**
 * The tables as queries see them, the same on both engines. Neighbours: `migrations/` makes them, every query of this
 * room is typed by them. Yes and no are 1 and 0 on both.
 *
 * `n` is the place of an exchange in time and its number at once: the millisecond at which it began, and ten bits of its
 * id (`toPlace`). Rows lie in that order on the disk, pages are cut by it, and the index of words is walked by it: so
 * that the newest are found first without sorting.
 */
import type { Generated, Kysely } from 'kysely'

export interface Tables {
  readonly exchanges: ExchangesTable
  readonly details: DetailsTable
  readonly bodies: BodiesTable
  readonly loose: LooseTable
  readonly tools: ToolsTable
  readonly verdicts: VerdictsTable
  readonly policy_versions: PolicyVersionsTable
  readonly policy_modes: PolicyModesTable
  readonly policy_edits: PolicyEditsTable
  readonly gateway_keys: GatewayKeysTable
  readonly meta: MetaTable
  readonly texts: TextsTable
}

export type RecordsDb = Kysely<Tables>

/** Narrow, because lists walk over it. */
export interface ExchangesTable {
  readonly n: number
  readonly id: string
  readonly request_id: string
  readonly started_at: number
  readonly duration_ms: number
  readonly first_byte_ms: number | null
  readonly gateway: string
  readonly wire: string
  readonly key_name: string | null
  readonly client: string | null
  readonly route: string | null
  readonly upstream: string | null
  readonly model: string | null
  readonly upstream_model: string | null
  readonly answer_model: string | null
  readonly conversation: string | null
  readonly status: number
  readonly outcome: string
  readonly input_tokens: number | null
  readonly output_tokens: number | null
  readonly cost: number | null
  /** How many different tools were called. */
  readonly tool_count: number
  readonly is_text_due: number
  /** Of its pieces, as they are kept. */
  readonly stored_bytes: number
  /** JSON: all else that a line of a list shows. */
  readonly summary: string
}

/** JSON: what only one who looks at the exchange itself asks for. */
interface DetailsTable {
  readonly n: number
  readonly rest: string
}

export interface BodiesTable {
  readonly exchange_id: string
  /** Its place in `BODY_KINDS`. */
  readonly kind: number
  readonly seq: number
  readonly codec: number
  readonly bytes: Uint8Array
  readonly raw_size: number
  readonly times: Uint8Array
}

/** Exchanges of which there are pieces and no row yet. */
interface LooseTable {
  readonly exchange_id: string
  readonly written_at: number
}

export interface ToolsTable {
  readonly name: string
  readonly n: number
  readonly count: number
}

export interface VerdictsTable {
  readonly seq: number
  readonly exchange_id: string
  readonly at: number
  /** Of its exchange. */
  readonly n: number
  readonly decided_at: number
  readonly policy: string
  readonly version: string | null
  readonly type: string
  readonly is_shadow: number
  /** The kind of the block, or `request`. */
  readonly block: string
  /** The name of what was called. */
  readonly tool: string | null
  /** JSON: the block's id and index, tags, who decided, how long it took. */
  readonly rest: string
  /** What it says of the content; gone when the exchange is. */
  readonly content: Uint8Array | null
  readonly content_codec: number
  readonly content_hash: string
  readonly previous: string
  readonly hash: string
}

interface PolicyVersionsTable {
  readonly policy: string
  readonly version: string
  readonly used: string
  readonly is_shadow: number
  readonly first_seen_at: number
}

interface PolicyModesTable {
  readonly policy: string
  readonly version: string
  readonly mode: string
  readonly set_by: string | null
  readonly set_at: number
}

interface GatewayKeysTable {
  readonly name: string
  /** SHA-256 of the key, in hex. */
  readonly hash: string
  /** JSON: models, rate, budget, concurrent. */
  readonly limits: string
  readonly created_at: number
  readonly created_by: string | null
  readonly revoked_at: number | null
  readonly revoked_by: string | null
}

interface PolicyEditsTable {
  readonly seq: Generated<number>
  readonly policy: string
  readonly version: string
  /** The digest of the config's entry that it replaces; empty: there is none. */
  readonly base: string
  /** `null`: what the config says holds again. */
  readonly yaml: string | null
  readonly mode: string
  readonly set_by: string | null
  readonly set_at: number
  readonly note: string | null
}

interface MetaTable {
  readonly name: string
  readonly value: string
}

/** On SQLite an index of FTS5 whose `rowid` is `n`; on Postgres a table with a `tsvector`. */
interface TextsTable {
  readonly n: number
  readonly words: string
}

/** Ten bits under the millisecond: whole numbers stay exact until the year 2248. */
export const PLACES = 1024
const MAX_MS = 2 ** 43 - 1

/** The first place of a millisecond. */
export const placeOf = (ms: number): number =>
  Math.min(MAX_MS, Math.max(0, Math.floor(Number.isNaN(ms) ? 0 : ms))) * PLACES

/** Where an exchange belongs: always the same for the same one. When that is taken, it gets the next that is free. */
export function toPlace(startedAt: number, id: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < id.length; i++) hash = Math.imul(hash ^ id.charCodeAt(i), 0x01000193)
  return placeOf(startedAt) + ((hash >>> 0) % PLACES)
}
