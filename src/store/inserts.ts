/**
 * Inserts whose text is made once and then only filled in. Neighbours: the engines keep them ready; `tables.ts` has the
 * columns. A row that is there already stays as it is.
 */
import type { RecordsDb, Tables } from './tables.ts'

/** Columns in the order in which their values are handed over. */
const COLUMNS = {
  exchanges: [
    'n',
    'id',
    'request_id',
    'started_at',
    'duration_ms',
    'first_byte_ms',
    'gateway',
    'wire',
    'key_name',
    'client',
    'route',
    'upstream',
    'model',
    'upstream_model',
    'answer_model',
    'conversation',
    'status',
    'outcome',
    'input_tokens',
    'output_tokens',
    'cost',
    'tool_count',
    'is_text_due',
    'stored_bytes',
    'summary',
  ],
  details: ['n', 'rest'],
  bodies: ['exchange_id', 'kind', 'seq', 'codec', 'bytes', 'raw_size', 'times'],
  loose: ['exchange_id', 'written_at'],
  tools: ['name', 'n', 'count'],
  verdicts: [
    'seq',
    'exchange_id',
    'at',
    'n',
    'decided_at',
    'policy',
    'version',
    'type',
    'is_shadow',
    'block',
    'tool',
    'rest',
    'content',
    'content_codec',
    'content_hash',
    'previous',
    'hash',
  ],
} as const satisfies { readonly [Table in keyof Tables]?: readonly (keyof Tables[Table])[] }

export type HotTable = keyof typeof COLUMNS

/** The text of an insert of so many rows. */
export function toInsert(db: RecordsDb, table: HotTable, count: number): string {
  const blank = Object.fromEntries(COLUMNS[table].map((column) => [column, null]))
  const rows = Array.from({ length: count }, () => blank)
  const { sql } = db
    .insertInto(table)
    // Only the text is taken: what stands in for the values does not matter.
    .values(rows as never)
    .onConflict((conflict) => conflict.doNothing())
    .compile()
  return sql
}

export function toValues<Table extends HotTable>(table: Table, row: Tables[Table]): unknown[] {
  const values = row as unknown as Readonly<Record<string, unknown>>
  const columns: readonly string[] = COLUMNS[table]
  const list: unknown[] = []
  for (const column of columns) list.push(values[column])
  return list
}
