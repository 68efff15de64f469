/**
 * What clients got, against what the gateway recorded of it: every exchange once, with the same end, and some of them
 * byte by byte. Neighbours: `soak.ts` has stopped the gateway; the store is read as the product reads it.
 */
import { createCodec } from '../../src/records/codec.ts'
import { openStore } from '../../src/store/open-store.ts'
import type { ExchangeSummary } from '../../src/store/query.ts'
import type { RecordStore } from '../../src/store/store.ts'
import { sentTo } from './judge.ts'
import type { Plan } from './plan.ts'
import type { Kept, Tally } from './tally.ts'

export interface Checked {
  readonly rows: number
  /** Clients that left so early that there is nothing to record. */
  readonly unseen: number
  /** Bodies that were compared byte by byte. */
  readonly compared: number
  /** Links of the chain of verdicts. */
  readonly links: number
  readonly problems: readonly string[]
}

const EVERY = 50
const MAX_PROBLEMS = 20

export async function checkRecords(
  file: string,
  run: string,
  tally: Tally,
  planOf: (number: number) => Plan,
): Promise<Checked> {
  const store = await openStore({ type: 'sqlite', file }, { codec: createCodec() })
  try {
    const problems: string[] = []
    const rows = await readRows(store, run, problems)
    let unseen = 0
    let compared = 0
    for (const [number, kept] of tally.kept) {
      const row = rows.get(number)
      const say = (what: string): void => void problems.push(`exchange ${number}: ${what}`)
      if (row === undefined) {
        if (kept.isSurelySent) say(`it is not recorded, and its client got ${kept.came}`)
        else unseen += 1
        continue
      }
      if (!fits(row, kept))
        say(`recorded as ${row.outcome} ${row.status}, and its client got ${kept.came}`)
      if (number % EVERY !== 0 || kept.came !== 'right' || row.dropped.length > 0) continue
      compared += 1
      const body = await store.body(row.id, 'upstream')
      if (body === undefined || !sentTo(planOf(number)).equals(body.bytes))
        say(`what came is recorded as ${body?.bytes.length ?? 'no'} other bytes`)
    }
    for (const number of rows.keys())
      if (!tally.kept.has(number)) problems.push(`exchange ${number} is recorded and nobody asked`)
    const { links, broken } = await store.verify()
    if (broken !== undefined) problems.push(`the chain of verdicts is broken: ${broken.why}`)
    return { rows: rows.size, unseen, compared, links, problems: problems.slice(0, MAX_PROBLEMS) }
  } finally {
    await store.close()
  }
}

async function readRows(
  store: RecordStore,
  run: string,
  problems: string[],
): Promise<ReadonlyMap<number, ExchangeSummary>> {
  const rows = new Map<number, ExchangeSummary>()
  let cursor: string | undefined
  do {
    const page = await store.list({ limit: 1000, isOldestFirst: true, cursor })
    for (const row of page.items) {
      const number = Number(row.requestId.slice(run.length + 1))
      if (!row.requestId.startsWith(`${run}-`)) problems.push(`a record of ${row.requestId}`)
      else if (rows.has(number)) problems.push(`exchange ${number} is recorded twice`)
      else rows.set(number, row)
    }
    cursor = page.next
  } while (cursor !== undefined)
  return rows
}

function fits({ outcome, status }: ExchangeSummary, { came }: Kept): boolean {
  // Whoever left may have been told more than they read.
  if (came === 'left' || came === 'wrong') return true
  if (came === 'right') return outcome === 'done' && status === 200
  if (came === 'broken') return outcome === 'broken' && status === 200
  return outcome === 'upstream-error' && status === came
}
