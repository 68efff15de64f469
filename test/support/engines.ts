/** Both engines of the records, real, for tests that run on each: a file of SQLite, and a database of Postgres. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { openStore, type OpenStoreOptions } from '../../src/store/open-store.ts'
import type { RecordStore, StoreLocation } from '../../src/store/store.ts'
import { startPostgres, type TestPostgres } from './postgres.ts'
import { flipCodec } from './records.ts'

export type EngineName = 'sqlite' | 'postgres'

export { hasPostgres } from './postgres.ts'

export interface TestEngine {
  readonly name: EngineName
  start(): Promise<void>
  stop(): Promise<void>
  /** A place where nothing is yet. */
  place(): Promise<StoreLocation>
  /** One where an empty store is already. */
  made(): Promise<StoreLocation>
  /** A store at an empty place, or at that one. Closed by `stop` at the latest, or by `made`. */
  open(options?: Partial<OpenStoreOptions>, location?: StoreLocation): Promise<RecordStore>
}

export function createTestEngine(name: EngineName): TestEngine {
  let server: TestPostgres | undefined
  let folder = ''
  let count = 0
  let model: StoreLocation | undefined
  const opened: RecordStore[] = []
  async function place(): Promise<StoreLocation> {
    if (name === 'sqlite') return { type: 'sqlite', file: join(folder, `${count++}`, 'records.db') }
    if (server === undefined) throw new Error('Postgres cannot run here')
    return { type: 'postgres', url: await server.createDatabase() }
  }
  /** On Postgres always the same one, emptied: that is quicker than making it. */
  async function made(): Promise<StoreLocation> {
    const location = (model ??= await place())
    if (location.type === 'sqlite') {
      model = undefined
      return location
    }
    for (const store of opened.splice(0)) await store.close()
    const store = await openStore(location, { codec: flipCodec() })
    await store.close()
    await empty(location.url)
    return location
  }
  return {
    name,
    async start() {
      if (name === 'postgres') server = await startPostgres()
      else folder = mkdtempSync(join(tmpdir(), 'sluice-records-'))
    },
    async stop() {
      for (const store of opened) await store.close().catch(() => undefined)
      await server?.stop()
      if (folder !== '') rmSync(folder, { recursive: true, force: true })
    },
    place,
    made,
    async open(options = {}, location) {
      const store = await openStore(location ?? (await made()), { codec: flipCodec(), ...options })
      opened.push(store)
      return store
    },
  }
}

async function empty(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`truncate ${TABLES.join(', ')}; delete from meta where name <> 'version'`)
  await client.end()
}

const TABLES = [
  'exchanges',
  'details',
  'bodies',
  'loose',
  'tools',
  'verdicts',
  'texts',
  'policy_versions',
  'policy_modes',
  'policy_edits',
  'gateway_keys',
]
