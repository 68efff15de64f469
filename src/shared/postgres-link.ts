/**
 * Connections to one Postgres for what gateways tell each other: a few for questions, one that listens. Neighbours:
 * `postgres-line.ts` says what is asked. Comes back by itself; while it is away every question fails at once.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

export type Row = Readonly<Record<string, unknown>>

export interface LinkOptions {
  readonly url: string
  /** What is listened to. */
  readonly channel: string
  onNotice(payload: string): void
  /** The connection stands: what must be done before anything else. It is given up when this fails. */
  onArrive(): Promise<void>
  /** Why, in the words of the database. Told once until it stands again. */
  onAway(why: string): void
  onBack(): void
}

export interface PostgresLink {
  readonly isUp: () => boolean
  query(text: string, values?: readonly unknown[]): Promise<readonly Row[]>
  /** Resolves when it stands, or when it does not within that time. */
  ready(ms: number): Promise<void>
  close(): Promise<void>
}

const TIMEOUT_MS = 5000
const PAUSES_MS = [100, 250, 500, 1000, 2000]

export function openLink(options: LinkOptions): PostgresLink {
  const settings: pg.PoolConfig = {
    connectionString: options.url,
    application_name: 'sluice',
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
    statement_timeout: TIMEOUT_MS,
    idle_in_transaction_session_timeout: TIMEOUT_MS,
    keepAlive: true,
  }
  const pool = new pg.Pool({ ...settings, max: 2, allowExitOnIdle: true })
  // One that breaks while nobody uses it is thrown away by the pool.
  pool.on('error', () => {})
  let state: 'starting' | 'up' | 'away' = 'starting'
  let isClosed = false
  let listener: pg.Client | undefined
  /** Gives up the connection that listens. */
  let drop = (_why: string): void => {}
  let onceUp = createOnce()
  const stop = new AbortController()

  /** Resolves with why it ended. */
  async function listen(): Promise<string> {
    const client = new pg.Client(settings)
    listener = client
    const over = new Promise<string>((resolve) => {
      drop = resolve
      client.on('error', (error) => resolve(sayWhy(error)))
      client.on('end', () => resolve('the connection was closed'))
    })
    try {
      await client.connect()
      await client.query(`listen ${options.channel}`)
      client.on('notification', ({ payload }) => options.onNotice(payload ?? ''))
      await options.onArrive()
      const wasAway = state === 'away'
      state = 'up'
      if (wasAway) options.onBack()
      onceUp.done()
      return await over
    } finally {
      // An end that nobody waits for: the server may be gone.
      void client.end().catch(() => {})
    }
  }

  function leave(why: string): void {
    if (state === 'away' || isClosed) return
    state = 'away'
    onceUp = createOnce()
    options.onAway(why)
  }

  async function keep(): Promise<void> {
    let tries = 0
    while (!isClosed) {
      const why = await listen().catch(sayWhy)
      if (state === 'up') tries = 0
      leave(why)
      const pause = PAUSES_MS[Math.min(tries++, PAUSES_MS.length - 1)] ?? 1000
      await sleep(pause, undefined, { signal: stop.signal, ref: false }).catch(() => {})
    }
  }

  const running = keep()
  return {
    isUp: () => state === 'up',
    async query(text, values = []) {
      try {
        const { rows } = await pool.query<Row>(text, [...values])
        return rows
      } catch (error) {
        // A server that stands still closes nothing.
        if (!isAnswer(error)) drop(sayWhy(error))
        throw error
      }
    },
    async ready(ms) {
      // Whoever waits for this may have nothing else to live for.
      const over = new AbortController()
      const late = sleep(ms, undefined, { signal: AbortSignal.any([stop.signal, over.signal]) })
      await Promise.race([onceUp.promise, late]).catch(() => {})
      over.abort()
    },
    async close() {
      isClosed = true
      stop.abort()
      await listener?.end().catch(() => {})
      await running
      await pool.end().catch(() => {})
    },
  }
}

interface Once {
  readonly promise: Promise<void>
  done(): void
}

function createOnce(): Once {
  let done = (): void => {}
  const promise = new Promise<void>((resolve) => (done = resolve))
  return { promise, done: () => done() }
}

/** The server has said that it cannot do this, and can do other things. */
const isAnswer = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && !/^(?:08|57P|53)/.test(error.code ?? '')

/** Without the address: it has a password in it. */
function sayWhy(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined
  return error.message === '' ? (code ?? error.name) : error.message
}
