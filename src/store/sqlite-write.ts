/**
 * A batch → one transaction on a file of SQLite. Neighbours: `sqlite.ts` calls it, `to-rows.ts` made the rows,
 * `chain.ts` the links. The hot path of all recording: statements are prepared once, and nothing is built per row.
 */
import { joinOn, NO_HEAD, type ChainHead } from './chain.ts'
import { toInsert, toValues, type HotTable } from './inserts.ts'
import { ANCHOR } from './meta.ts'
import { BATCH_MS, beginToWrite } from './patience.ts'
import { toPlace, type RecordsDb, type Tables } from './tables.ts'
import { toBound } from './sqlite-dialect.ts'
import type { SqliteFile } from './sqlite-file.ts'
import type { Batch, ExchangeEntry } from './to-rows.ts'

export function createBatchWriter(
  connection: SqliteFile,
  db: RecordsDb,
): (batch: Batch) => Promise<void> {
  const statements = prepareAll(connection, db)
  return async (batch) => {
    await beginToWrite(connection, BATCH_MS)
    try {
      writeAll(statements, batch)
      connection.exec('commit')
    } catch (error) {
      // A full disk has ended it already.
      if (connection.isTransaction) connection.exec('rollback')
      throw error
    }
  }
}

type Statements = ReturnType<typeof prepareAll>

function prepareAll(connection: SqliteFile, db: RecordsDb) {
  const insert = <Table extends HotTable>(table: Table) => {
    const statement = connection.prepare(toInsert(db, table, 1))
    return (row: Tables[Table]): boolean => statement.run(...toValues(table, row)).changes > 0
  }
  const one = (text: string) => {
    const statement = connection.prepare(text)
    return (...values: readonly unknown[]): Record<string, unknown> | undefined =>
      statement.get(...values)
  }
  const run = (text: string) => {
    const statement = connection.prepare(text)
    return (...values: readonly unknown[]): boolean => statement.run(...values).changes > 0
  }
  return {
    exchange: insert('exchanges'),
    details: insert('details'),
    body: insert('bodies'),
    loose: insert('loose'),
    tool: insert('tools'),
    verdict: insert('verdicts'),
    words: run('insert into texts (rowid, words) values (?, ?)'),
    placeOf: one('select n from exchanges where id = ?'),
    head: one('select seq, hash from verdicts order by seq desc limit 1'),
    anchor: one(`select value from meta where name = '${ANCHOR}'`),
    hasVerdict: one('select 1 as yes from verdicts where exchange_id = ? and at = ?'),
    dropBody: run('delete from bodies where exchange_id = ? and kind = ?'),
    dropLoose: run('delete from loose where exchange_id = ?'),
    countBytes: run(
      `update exchanges set stored_bytes =
        (select coalesce(sum(length(bytes)), 0) from bodies where exchange_id = exchanges.id)
        where n = ?`,
    ),
  }
}

function writeAll(to: Statements, batch: Batch): void {
  for (const body of batch.bodies) to.body(body)
  for (const id of batch.loose) to.loose({ exchange_id: id, written_at: batch.now })
  // Those that were not there before: so far they have no verdicts, either.
  const fresh = new Map<string, number>()
  for (const entry of batch.exchanges) {
    const n = writeExchange(to, entry)
    if (n !== undefined) fresh.set(entry.row.id, n)
  }
  if (batch.verdicts.length > 0) writeVerdicts(to, batch, fresh)
}

/** Its place, or `undefined` where it is there already. */
function writeExchange(to: Statements, entry: ExchangeEntry): number | undefined {
  const { id } = entry.row
  // Also of one that is there already: its pieces may just have been written a second time.
  for (const kind of entry.without) to.dropBody(id, kind)
  const wasLoose = entry.hasAhead && to.dropLoose(id)
  const n = takePlace(to, entry)
  if (n === undefined) return undefined
  to.details({ n, rest: entry.rest })
  for (const { name, count } of entry.tools) to.tool({ name, n, count })
  if (entry.words !== '') to.words(toBound(n), entry.words)
  if (wasLoose) to.countBytes(n)
  return n
}

function takePlace(to: Statements, { row }: ExchangeEntry): number | undefined {
  if (to.exchange(row)) return row.n
  if (to.placeOf(row.id) !== undefined) return undefined
  // Another of the same millisecond has its place.
  let n = row.n + 1
  while (!to.exchange({ ...row, n })) n++
  return n
}

function writeVerdicts(to: Statements, batch: Batch, fresh: ReadonlyMap<string, number>): void {
  let head = readHead(to)
  for (const pending of batch.verdicts) {
    const { exchange_id: id, at } = pending
    const isKnown = !fresh.has(id) && to.hasVerdict(id, at) !== undefined
    if (isKnown) continue
    const place = fresh.get(id) ?? to.placeOf(id)?.['n']
    // Of an exchange that was deleted meanwhile: the link stays, what it quotes does not come back.
    const link =
      place === undefined
        ? joinOn(head, { ...pending, content: null }, toPlace(pending.decided_at, id))
        : joinOn(head, pending, Number(place))
    // It stood in the batch twice.
    if (!to.verdict(link)) continue
    head = link
  }
}

function readHead(to: Statements): ChainHead {
  const last = to.head()
  if (last !== undefined) return { seq: Number(last['seq']), hash: String(last['hash']) }
  const anchor = to.anchor()
  return anchor === undefined ? NO_HEAD : (JSON.parse(String(anchor['value'])) as ChainHead)
}
