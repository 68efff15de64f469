/**
 * The line to the other gateways over one Postgres: letters out, in batches, and letters in, none missed. Neighbours:
 * `postgres-link.ts` has the connections, `news-book.ts` writes and reads, `news-outbox.ts` is what waits. Never on the
 * way of a stream: whoever tells something goes on at once. While Postgres is away this gateway is alone: what was spent and
 * said is kept for later, and the others count as gone.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { createListeners } from '../approvals/listeners.ts'
import type { PieceCodec } from '../store/store.ts'
import type { Gone, Letter } from './circle.ts'
import type { Spent } from './ledger.ts'
import { createNewsBook } from './news-book.ts'
import { CHANNEL, LEAVE, RENEW, TIDY } from './news-log.ts'
import { createNewsOutbox } from './news-outbox.ts'
import { openLink, type Row } from './postgres-link.ts'
import { createSeal, type Seal } from './seal.ts'

export interface LineOptions {
  readonly url: string
  /** Who this is: no two that ever lived are called the same. */
  readonly self: string
  /** Where it is reached. */
  address(): string
  /** What is known here of spending, for comparison with the table. */
  standing(): readonly Spent[]
  /** Makes the tables, if they are not there. */
  migrate(): Promise<void>
  /** Where what is recorded is encrypted. */
  readonly codec?: PieceCodec | undefined
  /** How long a gateway counts as alive that says nothing. Default ten seconds. */
  readonly leaseMs?: number
  log(
    level: 'info' | 'warn',
    message: string,
    fields?: Readonly<Record<string, string | number>>,
  ): void
}

export interface PostgresLine {
  readonly self: string
  send(letter: Letter): void
  onLetter(callback: (letter: Letter) => void): () => void
  onGone(callback: (gone: Gone) => void): () => void
  /** It stands again, or for the first time: all that was told meanwhile is heard. */
  onUp(callback: () => Promise<void>): () => void
  /** Every few seconds, while it stands and it is known who is alive. */
  onTick(callback: () => Promise<void>): () => void
  isUp(): boolean
  /** As far as it is known. */
  isAlive(gateway: string): boolean
  query(text: string, values?: readonly unknown[]): Promise<readonly Row[]>
  readonly seal: () => Seal
  catchUp(): Promise<void>
  ready(ms: number): Promise<void>
  close(): Promise<void>
}

/** Between two batches; the first after a pause leaves sooner, because somebody may go on from it elsewhere. */
const FLUSH_MS = 50
const FIRST_MS = 5
const LEASE_MS = 10_000
/** So often within a lease. */
const TICKS = 3
const TIDY_TICKS = 10
/** For the last words at the end. */
const LAST_MS = 1500

export function openPostgresLine(options: LineOptions): PostgresLine {
  const { self, log, leaseMs = LEASE_MS } = options
  const outbox = createNewsOutbox()
  const letters = createListeners<Letter>()
  const gone = createListeners<Gone>()
  const ups = new Set<() => Promise<void>>()
  const ticks = new Set<() => Promise<void>>()
  let others = new Set<string>()
  let seal = createSeal(undefined)
  let isMigrated = false
  /** Until then those that were away at the same time have not come back yet. */
  let judgesFrom = Infinity
  let awaySince = 0
  let flushing: NodeJS.Timeout | undefined
  let flushedAt = 0
  let ticked = 0
  /** One after the other. */
  let work: Promise<unknown> = Promise.resolve()

  function inTurn<T>(one: () => Promise<T>): Promise<T> {
    const next = work.then(one, one)
    work = next.catch(() => {})
    return next
  }

  const link = openLink({
    url: options.url,
    channel: CHANNEL,
    onNotice(payload) {
      if (!payload.startsWith(`${self} `)) void inTurn(book.read).catch(() => {})
    },
    onArrive: () => inTurn(arrive),
    onAway(why) {
      awaySince = Date.now()
      judgesFrom = Infinity
      outbox.dropMoments()
      others = new Set()
      gone.tell({ allBut: self })
      log('warn', ALONE, { why })
    },
    onBack() {
      const seconds = Math.round((Date.now() - awaySince) / 1000)
      const dropped = outbox.takeDropped()
      log('info', TOGETHER, { seconds, ...(dropped > 0 ? { dropped } : undefined) })
    },
  })

  const book = createNewsBook({
    self,
    outbox,
    query: link.query,
    seal: () => seal,
    standing: options.standing,
    onLetter: letters.tell,
    // Who tells something is there, also if it has only just come.
    onTeller: (gateway) => void others.add(gateway),
    onRefused: (why) => log('warn', REFUSED, { why }),
    onForgotten: renew,
  })

  async function arrive(): Promise<void> {
    if (!isMigrated) {
      await options.migrate()
      seal = createSeal(await openCodec())
      isMigrated = true
    }
    await renew()
    // One that was on its way is there or not; sent again it is there once.
    await book.write()
    await book.compare()
    await book.read()
    judgesFrom = Date.now() + leaseMs
    for (const up of ups) await up()
  }

  /** The salt of the records is the salt here too. */
  async function openCodec(): Promise<PieceCodec | undefined> {
    const { codec } = options
    if (codec === undefined) return undefined
    const find = async (): Promise<string | undefined> => {
      const [row] = await link.query(`select value from meta where name = 'codec'`)
      return row === undefined ? undefined : String(row['value'])
    }
    const made = codec.open(await find())
    const insert = `insert into meta (name, value) values ('codec', $1) on conflict do nothing`
    if (made !== undefined) await link.query(insert, [made])
    codec.open(await find())
    return codec
  }

  async function renew(): Promise<void> {
    const rows = await link.query(RENEW, [self, options.address(), leaseMs])
    const alive = new Set(rows.map(({ id }) => String(id)).filter((id) => id !== self))
    const lost = [...others].filter((id) => !alive.has(id))
    others = alive
    for (const id of lost) gone.tell({ who: id })
  }

  async function tick(): Promise<void> {
    if (!link.isUp()) return
    await renew()
    await book.read()
    await book.write()
    if (Date.now() > judgesFrom) for (const one of ticks) await one()
    if (++ticked % TIDY_TICKS === 0) await link.query(TIDY)
  }

  function soon(): void {
    if (flushing !== undefined) return
    const pause = Math.max(FIRST_MS, flushedAt + FLUSH_MS - performance.now())
    flushing = setTimeout(() => {
      flushing = undefined
      flushedAt = performance.now()
      if (link.isUp()) void inTurn(book.write).catch(() => {})
    }, pause).unref()
  }

  const ticking = setInterval(() => void inTurn(tick).catch(() => {}), leaseMs / TICKS).unref()

  return {
    self,
    send(letter) {
      outbox.add(letter)
      if (link.isUp()) soon()
      else outbox.dropMoments()
    },
    onLetter: letters.add,
    onGone: gone.add,
    onUp: (callback) => toStop(ups, callback),
    onTick: (callback) => toStop(ticks, callback),
    isUp: link.isUp,
    isAlive: (gateway) => gateway === self || others.has(gateway),
    query: link.query,
    seal: () => seal,
    catchUp: () => (link.isUp() ? inTurn(book.read).catch(() => {}) : Promise.resolve()),
    ready: link.ready,
    async close() {
      clearInterval(ticking)
      clearTimeout(flushing)
      const last = async (): Promise<void> => {
        await book.write()
        await link.query(LEAVE, [self])
      }
      if (link.isUp())
        await Promise.race([
          inTurn(last).catch(() => {}),
          sleep(LAST_MS, undefined, { ref: false }),
        ])
      await link.close()
    },
  }
}

function toStop<T>(all: Set<T>, one: T): () => void {
  all.add(one)
  return () => void all.delete(one)
}

const REFUSED =
  'Postgres does not take something that other gateways should know, and it is left out'
const ALONE =
  'Postgres cannot be reached: this gateway goes on alone, with its own limits and approvals, until it can'
const TOGETHER = 'Postgres is there again: this gateway shares with the others'
