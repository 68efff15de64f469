/**
 * A gateway of ours that records into a real SQLite file, in front of an upstream that a test plays. Neighbours:
 * `gateway.ts`, `upstream.ts`; `src/records/open.ts` is what writes.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Settings } from '../../src/config/settings.ts'
import { openRecords } from '../../src/records/open.ts'
import type { Records } from '../../src/records/records.ts'
import type { GatewayOptions } from '../../src/server/gateway.ts'
import type { ExchangeRecord } from '../../src/store/query.ts'
import { BODY_KINDS, type Body, type BodyKind, type StoredVerdict } from '../../src/store/record.ts'
import type { Price, RecordSettings } from '../../src/store/settings.ts'
import { startTestGateway, type TestGateway } from './gateway.ts'

/** All that is kept of one exchange. */
export interface Kept {
  readonly row: ExchangeRecord
  readonly bodies: Partial<Readonly<Record<BodyKind, Body>>>
  readonly verdicts: readonly StoredVerdict[]
}

export interface RecordedGateway extends TestGateway {
  readonly records: Records
  /** The records of its exchanges, the oldest first, as soon as there are so many. */
  kept(count: number): Promise<readonly Kept[]>
}

export const recordSettings = (file: string): RecordSettings => ({
  mode: 'bytes',
  location: { type: 'sqlite', file },
  onFull: 'wait',
  maxWait: 1000,
  maxAge: undefined,
  maxBytes: undefined,
  secret: undefined,
  hasSearch: false,
  isSynced: false,
})

/** Records in a file that is gone when they are closed. To start the threads takes longer than most tests. */
export async function openTestRecords(
  settings: Partial<RecordSettings> = {},
  prices: readonly Price[] = [],
): Promise<Records> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-recorded-'))
  const records = await openRecords({
    settings: { ...recordSettings(join(folder, 'records.db')), ...settings },
    gateway: 'test',
    prices,
  })
  return {
    ...records,
    async close(graceMs) {
      await records.close(graceMs)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** `records`: of others too; without them it has its own. */
export async function startRecorded(
  settings: Partial<Settings> = {},
  options: Omit<GatewayOptions, 'onReport'> & { readonly record?: Partial<RecordSettings> } = {},
): Promise<RecordedGateway> {
  const records = options.records ?? (await openTestRecords(options.record, settings.prices))
  const gateway = await startTestGateway(settings, { ...options, records })
  return {
    ...gateway,
    records,
    kept: (count) => readAll(records, gateway, count),
    async close(graceMs) {
      await gateway.close(graceMs)
      if (options.records === undefined) await records.close(5000)
    },
  }
}

async function readAll(
  { store }: Records,
  { reports }: TestGateway,
  count: number,
): Promise<readonly Kept[]> {
  const until = performance.now() + 10_000
  for (;;) {
    const found = await Promise.all(reports.map(({ id }) => store.find(id)))
    const rows = found.filter((row) => row !== undefined)
    if (rows.length >= count) return await Promise.all(rows.map((row) => readOne(store, row)))
    if (performance.now() > until)
      throw new Error(`There are ${rows.length} records, and ${count} were waited for`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

async function readOne(store: Records['store'], row: ExchangeRecord): Promise<Kept> {
  const [found] = await store.bodies([row.id], BODY_KINDS)
  const { items } = await store.verdicts({ exchangeId: row.id, isOldestFirst: true })
  return { row, bodies: found?.bodies ?? {}, verdicts: items }
}

/** The bytes of a body as text. */
export const textOf = (body: Body | undefined): string | undefined =>
  body === undefined ? undefined : Buffer.from(body.bytes).toString()
