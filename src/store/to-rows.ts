/**
 * What is to be written → rows of the tables, packed and made fit: done before the transaction begins, so that nobody
 * waits for it. Neighbours: `sqlite.ts` and `postgres.ts` put them in, `tables.ts` has the columns, `from-rows.ts` reads
 * them back. Nothing that a client chose may make a row that an engine refuses: texts are cut and free of the NUL that
 * Postgres does not take, numbers are whole and finite.
 */
import { totalInput } from '../event/usage.ts'
import { toPending, type PendingVerdict } from './chain.ts'
import { cut, cutOrNull, toCount, toFinite, toWhole } from './fit.ts'
import { BODY_KINDS, type ExchangeRow, type Piece, type WriteItem } from './record.ts'
import type { PieceCodec } from './store.ts'
import { toPlace, type BodiesTable, type ExchangesTable, type ToolsTable } from './tables.ts'
import { packTimes } from './times.ts'
import { toWords } from './words.ts'

export interface Batch {
  readonly bodies: readonly BodiesTable[]
  /** Exchanges of which pieces came before their row. */
  readonly loose: readonly string[]
  readonly exchanges: readonly ExchangeEntry[]
  readonly verdicts: readonly PendingVerdict[]
  /** When it is written. */
  readonly now: number
}

export interface ExchangeEntry {
  /** Its `n` is where it belongs; the engine moves it up when that is taken. */
  readonly row: ExchangesTable
  readonly rest: string
  readonly tools: readonly Omit<ToolsTable, 'n'>[]
  /** Kinds whose pieces go. */
  readonly without: readonly number[]
  /** For the index; empty where there is nothing. */
  readonly words: string
  /** Whether pieces of it may be there already. */
  readonly hasAhead: boolean
}

export interface RowOptions {
  readonly codec: PieceCodec
  readonly hasSearch: boolean
  readonly now: number
}

/** More different tools than this in one answer are somebody's joke. */
const MAX_TOOLS = 200

export function toBatch(items: readonly WriteItem[], { codec, hasSearch, now }: RowOptions): Batch {
  const bodies: BodiesTable[] = []
  const loose = new Set<string>()
  const exchanges: ExchangeEntry[] = []
  const verdicts: PendingVerdict[] = []
  const quotes = { codec, now }
  for (const item of items) {
    if (item.type === 'piece') {
      const exchangeId = cut(item.exchangeId)
      bodies.push(toBody(exchangeId, item.piece, codec))
      loose.add(exchangeId)
    } else if (item.type === 'exchange') {
      const { row } = item
      const id = cut(row.id)
      const decidedAt = toWhole(row.startedAt + row.durationMs)
      let stored = 0
      for (const piece of item.pieces) {
        const body = toBody(id, piece, codec)
        stored += body.bytes.length
        bodies.push(body)
      }
      exchanges.push(toEntry(item, { id, stored, hasSearch }))
      item.verdicts.forEach((record, at) =>
        verdicts.push(toPending(record, { ...quotes, exchangeId: id, at, decidedAt })),
      )
    } else {
      const exchangeId = cut(item.exchangeId)
      item.verdicts.forEach((record, i) =>
        verdicts.push(
          toPending(record, { ...quotes, exchangeId, at: item.at + i, decidedAt: now }),
        ),
      )
    }
  }
  return { bodies, loose: [...loose], exchanges, verdicts, now }
}

function toBody(exchangeId: string, piece: Piece, codec: PieceCodec): BodiesTable {
  const packed = codec.pack(piece.bytes)
  return {
    exchange_id: exchangeId,
    kind: BODY_KINDS.indexOf(piece.kind),
    seq: piece.seq,
    codec: packed.codec,
    bytes: packed.bytes,
    raw_size: piece.bytes.length,
    times: packTimes(piece.times),
  }
}

interface EntryFacts {
  readonly id: string
  readonly stored: number
  readonly hasSearch: boolean
}

function toEntry(
  item: Extract<WriteItem, { type: 'exchange' }>,
  { id, stored, hasSearch }: EntryFacts,
): ExchangeEntry {
  const { row } = item
  const tools = toTools(item.tools)
  return {
    row: toRow(row, {
      id,
      stored,
      tools,
      isTextDue: hasSearch && item.isTextDue === true && item.text === undefined,
    }),
    rest: JSON.stringify({
      requestHeaders: row.requestHeaders,
      upstreamHeaders: row.upstreamHeaders,
      attempts: row.attempts,
      losses: row.losses,
      query: row.query,
    }),
    tools,
    without: item.without.map((kind) => BODY_KINDS.indexOf(kind)),
    words: hasSearch && item.text !== undefined ? toWords(item.text).join(' ') : '',
    hasAhead: item.hasAhead ?? true,
  }
}

interface RowFacts {
  readonly id: string
  readonly stored: number
  readonly tools: readonly Omit<ToolsTable, 'n'>[]
  readonly isTextDue: boolean
}

const toRow = (row: ExchangeRow, { id, stored, tools, isTextDue }: RowFacts): ExchangesTable => ({
  n: toPlace(row.startedAt, id),
  id,
  request_id: cut(row.requestId),
  started_at: toWhole(row.startedAt),
  duration_ms: toFinite(row.durationMs),
  first_byte_ms: row.firstByteMs === undefined ? null : toFinite(row.firstByteMs),
  gateway: cut(row.gateway),
  wire: row.wire,
  key_name: cutOrNull(row.key),
  client: cutOrNull(row.client),
  route: cutOrNull(row.route),
  upstream: cutOrNull(row.upstream),
  model: cutOrNull(row.model),
  upstream_model: cutOrNull(row.upstreamModel),
  answer_model: cutOrNull(row.answerModel),
  conversation: cutOrNull(row.conversation),
  status: toWhole(row.status),
  outcome: row.outcome,
  input_tokens: row.usage === undefined ? null : toCount(totalInput(row.usage)),
  output_tokens: row.usage?.outputTokens === undefined ? null : toCount(row.usage.outputTokens),
  cost: row.cost === undefined ? null : toFinite(row.cost),
  tool_count: tools.length,
  is_text_due: isTextDue ? 1 : 0,
  stored_bytes: stored,
  summary: JSON.stringify({
    traceId: row.traceId,
    method: row.method,
    endpoint: row.endpoint,
    upstreamWire: row.upstreamWire,
    answerId: row.answerId,
    isStream: row.isStream,
    fault: row.fault,
    finishReason: row.finishReason,
    usage: row.usage,
    isUsageEstimated: row.isUsageEstimated,
    violations: row.violations,
    bytesIn: row.bytesIn,
    bytesOut: row.bytesOut,
    upstreamStatus: row.upstreamStatus,
    record: row.record,
    dropped: row.dropped,
    attemptCount: row.attempts.length,
    lossCount: row.losses.length,
    tools: tools.length === 0 ? undefined : tools,
  }),
})

/** The same name once. */
function toTools(
  tools: Extract<WriteItem, { type: 'exchange' }>['tools'],
): readonly Omit<ToolsTable, 'n'>[] {
  if (tools.length === 0) return NO_TOOLS
  const counts = new Map<string, number>()
  for (const { name, count } of tools) {
    const key = cut(name)
    if (counts.has(key) || counts.size < MAX_TOOLS)
      counts.set(key, (counts.get(key) ?? 0) + toCount(count))
  }
  return [...counts].map(([name, count]) => ({ name, count }))
}
const NO_TOOLS: readonly Omit<ToolsTable, 'n'>[] = []
